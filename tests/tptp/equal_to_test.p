% Problem : What equals a test is one
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y] : ( ( test(Y) & X = addition(Y,Y) ) => test(X) ) ).
