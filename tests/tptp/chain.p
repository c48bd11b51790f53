% Problem : Nothing but a chain
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : ( Y = multiplication(Y,Y) => leq(Y,multiplication(multiplication(Y,Y),Y)) ) ).
