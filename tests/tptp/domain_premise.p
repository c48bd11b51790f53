% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/domain.ax').

fof(domain_premise, conjecture, ! [X,Y] : ( multiplication(X,Y) = zero <=> multiplication(X,domain(Y)) = zero ) ).
