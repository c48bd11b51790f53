% Problem : An axiom that no relation need satisfy, so that there is no answer
% Status  : CounterSatisfiable
% Answer  : GaveUp
include('Axioms/kleene.ax').
fof(odd, axiom, ! [X] : multiplication(X,X) = X ).
fof(goal, conjecture,
    ! [X] : leq(star(X),X) ).
