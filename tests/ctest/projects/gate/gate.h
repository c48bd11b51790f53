// A semaphore made of a lock and a condition.
#pragma once
#include <pthread.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t free;
    int places;
};

void gate_enter(struct gate *g);
void gate_leave(struct gate *g);
