#include "tasks.h"
#include <stdatomic.h>

static atomic_int next;

int tasks_claim(void) {
#ifdef BUG
    // Two may read the same number.
    int mine = atomic_load(&next);
    atomic_store(&next, mine + 1);
#else
    int mine = atomic_fetch_add(&next, 1);
#endif
    return mine < TASKS ? mine : -1;
}
