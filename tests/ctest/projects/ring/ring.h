// A bounded ring of numbers under one lock.
#pragma once
#include <pthread.h>

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    int slots[1];
    int count;
};

void ring_init(struct ring *r);
void ring_put(struct ring *r, int value);
int ring_take(struct ring *r);
