% Problem : A predicate that is not in the vocabulary
% Status  : Theorem
% Answer  : GaveUp
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X] : ( finite(X) => finite(X) ) ).
