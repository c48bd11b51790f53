% Problem : A star of a sum
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : star(addition(X,Y)) = multiplication(star(X),star(multiplication(Y,star(X)))) ).
