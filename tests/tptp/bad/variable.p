fof(a, conjecture, ! [X] : X).
