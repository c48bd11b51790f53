/* A bounded buffer with semaphores made of a mutex and a condition variable (Florian 2010, A.5). The consumer asserts that
   nothing is in the buffer when it begins, which need not be so. With -DSWAPPED main is the producer. */
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#ifndef N
#define N 1
#endif

struct semaphore {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    int value, flag;
};

static void init(struct semaphore *s, int value)
{
    pthread_mutex_init(&s->lock, 0);
    pthread_cond_init(&s->cond, 0);
    s->value = value;
    s->flag = 0;
}

static void destroy(struct semaphore *s)
{
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->cond);
}

static void down(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    s->value--;
    if (s->value < 0) {
        while (!s->flag)
            pthread_cond_wait(&s->cond, &s->lock);
        s->flag = 0;
    }
    pthread_mutex_unlock(&s->lock);
}

static void up(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    s->value++;
    if (s->value <= 0) {
        s->flag = 1;
        pthread_cond_signal(&s->cond);
    }
    pthread_mutex_unlock(&s->lock);
}

static pthread_mutex_t mutex;
static struct semaphore items, spaces;
static unsigned fill;
static unsigned char buffer[SIZE];

static void *produce(void *unused)
{
    for (int i = 0; i < N; i++) {
        down(&spaces);
        pthread_mutex_lock(&mutex);
        buffer[i % SIZE] = i % 256;
        fill++;
        pthread_mutex_unlock(&mutex);
        up(&items);
    }
    return 0;
}

static void *consume(void *unused)
{
    assert(fill == 0);
    for (int i = 0; i < N; i++) {
        down(&items);
        pthread_mutex_lock(&mutex);
        unsigned char item = buffer[i % SIZE];
        fill--;
        assert(item == i % 256);
        pthread_mutex_unlock(&mutex);
        up(&spaces);
    }
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_mutex_init(&mutex, 0);
    init(&items, 0);
    init(&spaces, SIZE);
#ifdef SWAPPED
    pthread_create(&other, 0, consume, 0);
    produce(0);
#else
    pthread_create(&other, 0, produce, 0);
    consume(0);
#endif
    pthread_join(other, 0);
    pthread_mutex_destroy(&mutex);
    destroy(&items);
    destroy(&spaces);
    return 0;
}
