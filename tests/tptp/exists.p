% Problem : An element is asked for
% Status  : Theorem
% Answer  : GaveUp
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X] : ? [Y] : addition(X,Y) = Y ).
