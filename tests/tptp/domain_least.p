% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/domain.ax').

fof(domain_least, conjecture, ! [X,Y] : ( addition(domain(X),domain(Y)) = domain(Y) <=> addition(X,multiplication(domain(Y),X)) = multiplication(domain(Y),X) ) ).
