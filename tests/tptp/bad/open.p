fof(a, conjecture, ! [X] : leq(X, star(X)) .
