% Status : CounterSatisfiable
% Answer : GaveUp
% Unfolded, the conjecture has a trillion symbols.
include('Axioms/semiring.ax').
fof(d,axiom, ! [X] : twice(X) = multiplication(X,X) ).
fof(c,conjecture, ! [X] : twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(X)))))))))))))))))))))))))))))))))))))))) = zero ).
