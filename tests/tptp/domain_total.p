% Status : Theorem
% Answer : GaveUp
include('Axioms/kleene.ax').
include('Axioms/domain.ax').

fof(domain_total, conjecture, ! [X] : domain(star(X)) = one ).
