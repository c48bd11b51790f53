% Status : Theorem
include('Axioms/kleene.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').
fof(difference, axiom, ! [X,Y] : domain_difference(X,Y) = multiplication(domain(X),antidomain(Y)) ).

fof(divergence_loeb, conjecture, ! [X0] : ( divergence(X0) = zero => ! [X1] : addition(domain(X1),forward_diamond(star(X0),domain_difference(domain(X1),forward_diamond(X0,domain(X1))))) = forward_diamond(star(X0),domain_difference(domain(X1),forward_diamond(X0,domain(X1)))) ) ).
