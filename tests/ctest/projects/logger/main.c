#include "log.h"
#include <assert.h>
#include <pthread.h>

static void *speaks(void *line) {
    log_line(*(int *)line);
    return 0;
}

int main(void) {
    pthread_t other;
    int line = 2;
    log_open();
    pthread_create(&other, 0, speaks, &line);
    log_line(1);
    pthread_join(other, 0);
    assert(log_close() == 2);
    return 0;
}
