% Problem : Complements are mutual
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y] : ( complement(X,Y) => complement(Y,X) ) ).
