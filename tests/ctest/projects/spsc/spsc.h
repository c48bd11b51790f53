// A ring without locks, for one producer and one consumer.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

enum { SLOTS = 2 };

struct spsc {
    int slots[SLOTS];
    atomic_int head, tail;
};

bool spsc_push(struct spsc *q, int value);
bool spsc_pop(struct spsc *q, int *value);
