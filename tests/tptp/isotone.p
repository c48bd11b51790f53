% Problem : Products and sums are isotone
% Status  : Theorem
include('Axioms/semiring.ax').
fof(goal, conjecture,
    ! [X,Y,Z] : ( leq(X,Y) => ( leq(multiplication(Z,X),multiplication(Z,Y)) & leq(addition(X,Z),addition(Z,Y)) ) ) ).
