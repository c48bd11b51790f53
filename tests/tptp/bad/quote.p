% A comment
fof(a, axiom, 'not closed = one).
