% Problem : Clauses
% Status  : Unsatisfiable
include('Axioms/kleene.ax').
cnf(a, hypothesis, leq(x,y)).
cnf(b, negated_conjecture, ~ leq(star(x),star(y))).
