% Problem : In the algebra of one element 0 is 1
% Status  : CounterSatisfiable
% Answer  : GaveUp
include('Axioms/semiring.ax').
fof(goal, conjecture,
    zero != one ).
