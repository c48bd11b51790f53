#include "stack.h"
#include <assert.h>
#include <pthread.h>

static int taken[2];

static void *takes(void *unused) {
    taken[1] = stack_pop();
    return 0;
}

int main(void) {
    pthread_t thread;
    stack_push(1);
    stack_push(2);
    pthread_create(&thread, 0, takes, 0);
    taken[0] = stack_pop();
    pthread_join(thread, 0);
    assert(taken[0] + taken[1] == 3);
    stack_end();
    return 0;
}
