% Status : CounterSatisfiable
include('Axioms/semiring.ax').
include('Axioms/antidomain.ax').
include('Axioms/modal.ax').

fof(diamond_of_meet, conjecture, ! [X,P,Q] : forward_diamond(X,multiplication(domain(P),domain(Q))) = multiplication(forward_diamond(X,P),forward_diamond(X,Q)) ).
