#include "lazy.h"
#include <assert.h>
#include <pthread.h>

static void *asks(void *unused) {
    assert(lazy_table()[1] == 2);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, asks, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
