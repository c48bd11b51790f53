% Problem : Two that end alone may go on together
% Status  : CounterSatisfiable
include('Axioms/omega.ax').
fof(goal, conjecture,
    ! [X,Y] : omega(addition(X,Y)) = addition(omega(X),omega(Y)) ).
