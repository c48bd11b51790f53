% Problem : A disjunction is an assumption in two cases
% Status  : Theorem
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X,Y,Z] : ( ( leq(X,Y) | leq(X,Z) ) => leq(star(X),star(addition(Y,Z))) ) ).
