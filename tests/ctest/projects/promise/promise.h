// A value that one thread gives and another waits for.
#pragma once
#include <pthread.h>

struct promise {
    pthread_mutex_t lock;
    pthread_cond_t kept;
    int is_kept, value;
};

void promise_keep(struct promise *p, int value);
int promise_wait(struct promise *p);
