% Problem : A ground assumption has a model
% Status  : Satisfiable
include('Axioms/kleene.ax').
fof(loop, hypothesis, leq(multiplication(a,a),zero)).
fof(some, hypothesis, a != zero).
