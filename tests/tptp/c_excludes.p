% Problem : Excluded middle fails where there is no test
% Status  : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X] : addition(X,c(X)) = one ).
