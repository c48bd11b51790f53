% Problem : An invariant survives a loop
% Status  : Theorem
include('Axioms/kleene.ax').
include('Axioms/tests.ax').
include('Axioms/de_morgan.ax').
fof(goal, conjecture,
    ! [P,Q,X] : ( ( test(P) & test(Q) & multiplication(multiplication(multiplication(Q,P),X),c(Q)) = zero ) => multiplication(multiplication(multiplication(Q,star(multiplication(P,X))),c(P)),c(multiplication(Q,c(P)))) = zero ) ).
