% Problem : c of anything is a test
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X] : ( leq(c(X),one) & test(c(X)) & c(c(c(X))) = c(X) ) ).
