% Problem : A simulation goes on
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y,Z] : ( leq(multiplication(Z,X),multiplication(Y,Z)) => leq(multiplication(Z,star(X)),multiplication(star(Y),Z)) ) ).
