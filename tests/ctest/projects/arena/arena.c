#include "arena.h"
#include <pthread.h>

enum { BLOCKS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next[BLOCKS] = {1, 2, -1}, first;

int arena_get(void) {
#ifdef BUG
    // What is first may be gone when the lock is had.
    int block = first;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    int block = first;
#endif
    if (block >= 0) first = next[block];
    pthread_mutex_unlock(&lock);
    return block;
}

void arena_give(int block) {
    pthread_mutex_lock(&lock);
    next[block] = first;
    first = block;
    pthread_mutex_unlock(&lock);
}
