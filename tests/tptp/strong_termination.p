% Status : Theorem
include('Axioms/demonic.ax').

fof(strong_termination, conjecture, ! [X,Y] : ( leq(multiplication(X,Y),multiplication(Y,strong_iteration(addition(X,Y)))) => ( multiplication(strong_iteration(addition(X,Y)),zero) = zero <=> ( multiplication(strong_iteration(X),zero) = zero & multiplication(strong_iteration(Y),zero) = zero ) ) ) ).
