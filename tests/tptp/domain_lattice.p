% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/domain.ax').

fof(domain_lattice, conjecture, ! [X,Y,Z] : ( addition(X,Y) = Y => addition(domain(X),multiplication(domain(Y),domain(Z))) = multiplication(domain(Y),addition(domain(X),domain(Z))) ) ).
