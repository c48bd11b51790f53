% Problem : A product that is a test
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y] : ( test(multiplication(X,Y)) => addition(multiplication(X,Y),c(multiplication(X,Y))) = one ) ).
