#include "tasks.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done[TASKS];

static void *works(void *unused) {
    for (int mine; (mine = tasks_claim()) >= 0;) assert(atomic_fetch_add(&done[mine], 1) == 0);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, works, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < TASKS; i++) assert(done[i] == 1);
    return 0;
}
