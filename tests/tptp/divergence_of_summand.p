% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').

fof(divergence_of_summand, conjecture, ! [X0,X1] : addition(divergence(X0),divergence(addition(X0,X1))) = divergence(addition(X0,X1)) ).
