% Problem : What is below 1 need be no test, but among relations it is
% Status  : CounterSatisfiable
% Answer  : GaveUp
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X] : ( leq(X,one) => test(X) ) ).
