% Problem : Constants with another equation
% Status  : CounterSatisfiable
include('Axioms/kleene.ax').
fof(sigma, axiom, sigma = addition(a,a)).
fof(goal, conjecture,
    leq(multiplication(multiplication(a,b),a),star(sigma)) ).
