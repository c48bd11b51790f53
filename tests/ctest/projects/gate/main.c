#include "gate.h"
#include <assert.h>
#include <stdatomic.h>

static struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2};
static atomic_int inside;

static void *visits(void *unused) {
    gate_enter(&gate);
    assert(atomic_fetch_add(&inside, 1) < 2);
    atomic_fetch_sub(&inside, 1);
    gate_leave(&gate);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, visits, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(gate.places == 2);
    return 0;
}
