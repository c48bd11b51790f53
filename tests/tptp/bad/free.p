fof(a, conjecture, leq(X, one)).
