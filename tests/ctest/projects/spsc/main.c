#include "spsc.h"
#include <assert.h>
#include <pthread.h>

static struct spsc queue;

static void *producer(void *unused) {
    for (int i = 1; i <= 3; i++) spsc_push(&queue, i);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    int last = 0, value;
    for (int tries = 0; tries < 2; tries++) {
        if (spsc_pop(&queue, &value)) {
            assert(value == last + 1);
            last = value;
        }
    }
    pthread_join(thread, 0);
    return 0;
}
