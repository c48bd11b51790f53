% Status : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').
include('Axioms/divergence.ax').

fof(divergence_union_without_star, conjecture, ! [X0,X1] : ( addition(multiplication(X0,X1),multiplication(X1,star(addition(X1,X0)))) = multiplication(X1,star(addition(X1,X0))) => divergence(addition(X1,X0)) = addition(divergence(X1),forward_diamond(star(X1),divergence(X0))) ) ).
