#include "promise.h"
#include <assert.h>

static struct promise promise = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void *keeps(void *unused) {
    promise_keep(&promise, 9);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, keeps, 0);
    assert(promise_wait(&promise) == 9);
    pthread_join(thread, 0);
    return 0;
}
