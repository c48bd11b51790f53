#include "lazy.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int made;
static int table[2];

const int *lazy_table(void) {
    if (!atomic_load(&made)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&made)) {
#ifdef BUG
            // Who sees this does not wait for the lock.
            atomic_store(&made, 1);
#endif
            table[0] = 1;
            table[1] = 2;
            atomic_store(&made, 1);
        }
        pthread_mutex_unlock(&lock);
    }
    return table;
}
