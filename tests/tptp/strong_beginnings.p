% Status : Theorem
include('Axioms/demonic.ax').

fof(strong_beginnings, conjecture, ! [X] : leq(multiplication(star(X),zero),star(multiplication(X,X))) ).
