#include "shared.h"
#include <assert.h>
#include <pthread.h>

static void *user(void *arg) {
    struct shared *s = arg;
    assert(s->value == 4);
    shared_drop(s);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct shared *s = shared_new(4, 3);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, user, s);
    shared_drop(s);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
