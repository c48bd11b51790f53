% Problem : A negated conjecture
% Status  : Unsatisfiable
include('Axioms/kleene.ax').
fof(not, negated_conjecture, ~ ( ! [X] : star(star(X)) = star(X) )).
