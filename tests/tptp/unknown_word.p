% Problem : A word that is not in the vocabulary
% Status  : Theorem
% Answer  : GaveUp
include('Axioms/kleene.ax').
fof(goal, conjecture,
    ! [X] : converse(X) = converse(X) ).
