% Problem : What is no test has c = 0
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X] : ( test(X) | c(X) = zero ) ).
