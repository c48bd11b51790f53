fof(a, goal, leq(zero, one)).
