#include "stats.h"
#include <assert.h>
#include <pthread.h>

static void *adds(void *unused) {
    stats_add(6);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, adds, 0);
    int mean = stats_mean();
    assert(mean == 0 || mean == 6);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(stats_mean() == 6);
    return 0;
}
