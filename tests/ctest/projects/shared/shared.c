#include "shared.h"
#include <stdlib.h>

struct shared *shared_new(int value, int owners) {
    struct shared *s = malloc(sizeof *s);
    s->value = value;
    s->owners = owners;
    return s;
}

void shared_drop(struct shared *s) {
    // With an atomic count this is one step.
    if (--s->owners == 0) free(s);
}
