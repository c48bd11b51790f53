fof(a, axiom, p). /* never closed
