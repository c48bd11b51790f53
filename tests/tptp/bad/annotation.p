fof(a, axiom, p, inference(x, [], [b)).
