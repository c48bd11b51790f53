% Problem : Products do not commute
% Status  : CounterSatisfiable
include('Axioms/semiring.ax').
fof(goal, conjecture,
    ! [X,Y] : multiplication(X,Y) = multiplication(Y,X) ).
