/* A barrier that can be used again, from a mutex and a condition variable (Florian 2010, A.4).
   N threads, main among them, pass it STEPS times. */
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef STEPS
#define STEPS 1
#endif

static pthread_mutex_t lock;
static pthread_cond_t turned;
static int count, phase;

/* Waits until all have come to the given phase. */
static void pass(int from, int step, int full)
{
    pthread_mutex_lock(&lock);
    count += step;
    if (count == full) {
        phase = !from;
        pthread_cond_broadcast(&turned);
    } else {
        while (phase == from)
            pthread_cond_wait(&turned, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    for (int i = 0; i < STEPS; i++) {
        pass(0, 1, N);
        pass(1, -1, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t others[N];
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&turned, 0);
    for (int i = 0; i < N - 1; i++)
        pthread_create(&others[i], 0, work, 0);
    work(0);
    for (int i = 0; i < N - 1; i++)
        pthread_join(others[i], 0);
    pthread_mutex_destroy(&lock);
    pthread_cond_destroy(&turned);
    return 0;
}
