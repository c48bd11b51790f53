#include "ring.h"
#include <assert.h>

void ring_init(struct ring *r) {
    pthread_mutex_init(&r->lock, 0);
    pthread_cond_init(&r->filled, 0);
    pthread_cond_init(&r->emptied, 0);
    r->count = 0;
}

void ring_put(struct ring *r, int value) {
    pthread_mutex_lock(&r->lock);
    while (r->count == 1) pthread_cond_wait(&r->emptied, &r->lock);
    r->slots[r->count++] = value;
    pthread_cond_signal(&r->filled);
    pthread_mutex_unlock(&r->lock);
}

int ring_take(struct ring *r) {
    pthread_mutex_lock(&r->lock);
#ifdef BUG
    // Another taker may have come first since the signal.
    if (r->count == 0) pthread_cond_wait(&r->filled, &r->lock);
#else
    while (r->count == 0) pthread_cond_wait(&r->filled, &r->lock);
#endif
    assert(r->count > 0);
    int value = r->slots[--r->count];
    pthread_cond_signal(&r->emptied);
    pthread_mutex_unlock(&r->lock);
    return value;
}
