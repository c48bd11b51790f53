fof(a, axiom, p; q).
