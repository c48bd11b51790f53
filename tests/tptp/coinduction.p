% Problem : What goes on for ever
% Status  : Theorem
include('Axioms/omega.ax').
fof(goal, conjecture,
    ! [X,Y] : ( leq(Y,multiplication(X,Y)) => leq(Y,omega(X)) ) ).
