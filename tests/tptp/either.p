% Problem : Stars are not a chain
% Status  : CounterSatisfiable
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : ( leq(star(X),star(Y)) | leq(star(Y),star(X)) ) ).
