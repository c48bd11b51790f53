#include "arena.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner[3];

static void *uses(void *arg) {
    int block = arena_get();
    assert(block >= 0);
    int before = atomic_exchange(&owner[block], *(int *)arg);
    assert(before == 0);
    atomic_store(&owner[block], 0);
    arena_give(block);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int names[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, uses, &names[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
