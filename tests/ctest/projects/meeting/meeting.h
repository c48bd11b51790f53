// A barrier that can be passed again and again.
#pragma once
#include <pthread.h>

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t complete;
    int expected, arrived, round;
};

void meeting_init(struct meeting *m, int expected);
void meeting_wait(struct meeting *m);
