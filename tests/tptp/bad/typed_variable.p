fof(a, conjecture, ! [X : $i] : leq(X, one)).
