% Status : Theorem
include('Axioms/kleene.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').

fof(segerberg, conjecture, ! [X,P] : multiplication(domain(P),forward_box(star(X),addition(c(P),forward_box(X,P)))) = forward_box(star(X),P) ).
