% Problem : Constants with an equation
% Status  : Theorem
include('Axioms/kleene.ax').
fof(sigma, axiom, sigma = addition(a,b)).
fof(goal, conjecture,
    leq(multiplication(multiplication(a,b),a),star(sigma)) ).
