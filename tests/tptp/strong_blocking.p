% Status : Theorem
include('Axioms/demonic.ax').

fof(strong_blocking, conjecture, ! [X,Y] : ( multiplication(X,Y) = zero => ( multiplication(X,star(Y)) = X & multiplication(X,strong_iteration(Y)) = X ) ) ).
