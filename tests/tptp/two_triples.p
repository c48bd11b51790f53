% Problem : Two ways of writing a triple
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [P,Q,X] : ( ( test(P) & test(Q) ) => ( multiplication(multiplication(P,X),c(Q)) = zero <=> leq(multiplication(P,X),multiplication(X,Q)) ) ) ).
