% Problem : There is more than 0
% Status  : CounterSatisfiable
include('Axioms/semiring.ax').
fof(goal, conjecture,
    ! [X] : X = zero ).
