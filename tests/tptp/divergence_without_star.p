% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').

fof(divergence_without_star, conjecture, ! [X0] : ( divergence(X0) = zero => forward_diamond(star(X0),antidomain(X0)) = one ) ).
