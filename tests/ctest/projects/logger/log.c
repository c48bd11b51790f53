#include "log.h"
#include <pthread.h>

enum { LINES = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int lines[LINES], gathered, written, closing;
static pthread_t writer;

static void *writes(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
#ifdef BUG
        // What was gathered when the log was closed is lost.
        if (closing) break;
        if (written == gathered) pthread_cond_wait(&more, &lock);
        if (closing) break;
#else
        while (written == gathered && !closing) pthread_cond_wait(&more, &lock);
        if (written == gathered) break;
#endif
        written++;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

void log_open(void) {
    pthread_create(&writer, 0, writes, 0);
}

void log_line(int line) {
    pthread_mutex_lock(&lock);
    lines[gathered++] = line;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

int log_close(void) {
    pthread_mutex_lock(&lock);
    closing = 1;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    pthread_join(writer, 0);
    return written;
}
