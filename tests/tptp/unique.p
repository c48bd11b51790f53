% Problem : Complements are unique
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y,Z] : ( ( complement(X,Z) & complement(Y,Z) ) => X = Y ) ).
