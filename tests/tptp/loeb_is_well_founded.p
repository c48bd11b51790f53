% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').
fof(difference, axiom, ! [X,Y] : domain_difference(X,Y) = multiplication(domain(X),antidomain(Y)) ).

fof(loeb_is_well_founded, conjecture, ! [X0] : ( ! [X1] : addition(forward_diamond(X0,domain(X1)),forward_diamond(star(X0),domain_difference(domain(X1),forward_diamond(X0,domain(X1))))) = forward_diamond(star(X0),domain_difference(domain(X1),forward_diamond(X0,domain(X1)))) => ! [X2] : ( addition(domain(X2),forward_diamond(X0,domain(X2))) = forward_diamond(X0,domain(X2)) => domain(X2) = zero ) ) ).
