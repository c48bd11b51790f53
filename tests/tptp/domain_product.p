% Status : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/domain.ax').

fof(domain_product, conjecture, ! [X,Y] : domain(multiplication(X,Y)) = multiplication(domain(X),domain(Y)) ).
