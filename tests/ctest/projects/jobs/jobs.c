#include "jobs.h"
#include <pthread.h>

enum { MOST = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
    job_fn run;
    int argument;
} waiting[MOST];
static int added, taken, closed, count;
static pthread_t workers[MOST];

static void *work(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == added && !closed) pthread_cond_wait(&changed, &lock);
        if (taken == added) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        job_fn run = waiting[taken].run;
        int argument = waiting[taken].argument;
        taken++;
        pthread_mutex_unlock(&lock);
        run(argument);
    }
}

void jobs_start(int wanted) {
    count = wanted;
    for (int i = 0; i < count; i++) pthread_create(&workers[i], 0, work, 0);
}

void jobs_add(job_fn run, int argument) {
    pthread_mutex_lock(&lock);
    waiting[added].run = run;
    waiting[added].argument = argument;
    added++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void jobs_close(void) {
    pthread_mutex_lock(&lock);
    closed = 1;
#ifdef BUG
    // Two may wait, and one is told.
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) pthread_join(workers[i], 0);
}
