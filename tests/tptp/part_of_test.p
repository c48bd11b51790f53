% Problem : A part of a test need be none, but among relations it is
% Status  : CounterSatisfiable
% Answer  : GaveUp
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y] : ( test(addition(X,Y)) => test(X) ) ).
