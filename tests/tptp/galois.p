% Status : Theorem
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').

fof(galois, conjecture, ! [X,P,Q] : ( addition(backward_diamond(X,domain(P)),domain(Q)) = domain(Q) <=> addition(domain(P),forward_box(X,domain(Q))) = forward_box(X,domain(Q)) ) ).
