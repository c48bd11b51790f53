% Status : Theorem
include('Axioms/demonic.ax').

fof(strong_sliding, conjecture, ! [X,Y] : multiplication(strong_iteration(multiplication(X,Y)),X) = multiplication(X,strong_iteration(multiplication(Y,X))) ).
