% Problem : An implication the other way round
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y] : ( ~ leq(X,star(Y)) => ~ leq(X,Y) ) ).
