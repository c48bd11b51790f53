% Problem : An axiom about something else does no harm to a theorem
% Status  : Theorem
include('Axioms/kleene.ax').
fof(domain, axiom, ! [X] : multiplication(domain(X),X) = X ).
fof(goal, conjecture,
    ! [X] : leq(X,star(X)) ).
