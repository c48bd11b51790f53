% Problem : Something is neither a test nor above 1
% Status  : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X] : ( test(X) | leq(one,X) ) ).
