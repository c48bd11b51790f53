% Status : CounterSatisfiable
include('Axioms/demonic.ax').

fof(strong_is_not_star, conjecture, ! [X] : strong_iteration(X) = star(X) ).
