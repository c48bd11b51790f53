% Status : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').

fof(divergence_not_domain, conjecture, ! [X0] : addition(domain(X0),divergence(X0)) = divergence(X0) ).
