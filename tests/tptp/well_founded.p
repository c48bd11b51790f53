% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').

fof(well_founded, conjecture, ! [X0] : ( divergence(X0) = zero <= ! [X1] : ( addition(domain(X1),forward_diamond(X0,domain(X1))) = forward_diamond(X0,domain(X1)) => domain(X1) = zero ) ) ).
