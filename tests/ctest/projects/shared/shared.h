// An object with a count of its owners: the last one frees it.
#pragma once
#include <stdatomic.h>

struct shared {
#ifdef BUG
    int owners;
#else
    atomic_int owners;
#endif
    int value;
};

struct shared *shared_new(int value, int owners);
void shared_drop(struct shared *s);
