% Problem : Not every inclusion is a triple; the laws of tests hold in the counter-model
% Status  : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
include('Axioms/de_morgan.ax').
fof(goal, conjecture,
    ! [P,Q,X] : ( ( test(P) & test(Q) ) => ( multiplication(multiplication(P,X),c(Q)) = zero <=> leq(multiplication(X,Q),multiplication(P,X)) ) ) ).
