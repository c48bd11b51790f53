% Status : CounterSatisfiable
include('Axioms/demonic.ax').

fof(strong_other_beginning, conjecture, ! [X,Y] : leq(multiplication(star(multiplication(X,X)),zero),addition(Y,star(multiplication(X,Y)))) ).
