% Problem : Sliding
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : multiplication(X,star(multiplication(Y,X))) = multiplication(star(multiplication(X,Y)),X) ).
