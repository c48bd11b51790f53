fof(a, conjecture, p & q | r).
