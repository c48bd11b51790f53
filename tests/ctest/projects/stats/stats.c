#include "stats.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int sum, count;

void stats_add(int value) {
#ifdef BUG
    // Two may hold it to read.
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    sum += value;
    count++;
    pthread_rwlock_unlock(&lock);
}

int stats_mean(void) {
    pthread_rwlock_rdlock(&lock);
    int mean = count ? sum / count : 0;
    pthread_rwlock_unlock(&lock);
    return mean;
}
