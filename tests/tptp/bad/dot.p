fof(a, axiom, p), fof(b, axiom, q).
