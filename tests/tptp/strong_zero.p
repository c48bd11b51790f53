% Status : CounterSatisfiable
include('Axioms/demonic.ax').

fof(strong_zero, conjecture, ! [X] : multiplication(X,zero) = zero ).
