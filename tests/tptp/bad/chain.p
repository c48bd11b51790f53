fof(a, conjecture, p => q => p).
