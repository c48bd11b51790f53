/* Two threads change x under a lock that they give back in between (Florian 2010, A.6, "Bug Inspect"): x = 5 in one of the six
   classes of executions. */
#include <assert.h>
#include <pthread.h>

static int x = 2;
static pthread_mutex_t lock;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int value = x;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&lock);
    x = value;
    pthread_mutex_unlock(&lock);
}

static void *increment(void *unused)
{
    set(get() + 1);
    return 0;
}

static void *twice(void *unused)
{
    set(get() * 2);
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_mutex_init(&lock, 0);
    pthread_create(&other, 0, twice, 0);
    increment(0);
    pthread_join(other, 0);
    pthread_mutex_destroy(&lock);
    assert(x != 5);
    return 0;
}
