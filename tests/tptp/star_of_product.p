% Problem : A star of a product is no product of stars
% Status  : CounterSatisfiable
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : leq(star(multiplication(X,Y)),multiplication(star(X),star(Y))) ).
