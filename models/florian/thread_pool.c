/* A pool of N threads; main enqueues one job and tells them to stop (Florian 2010, A.3). The job may never be run. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

typedef void (*task)(void);

struct node {
    task run;
    struct node *next;
};

static struct node *head, *tail;
static pthread_mutex_t lock;
static pthread_cond_t wakeup;
static int leaving, idle;

static task dequeue(void)
{
    struct node *node = head;
    task run = node->run;
    head = node->next;
    free(node);
    if (!head)
        tail = 0;
    return run;
}

static void enqueue(task run)
{
    pthread_mutex_lock(&lock);
    struct node *node = malloc(sizeof *node);
    assert(node);
    node->run = run;
    node->next = 0;
    if (!tail) {
        assert(!head);
        head = node;
    } else {
        tail->next = node;
    }
    tail = node;
    if (idle > 0)
        pthread_cond_signal(&wakeup);
    pthread_mutex_unlock(&lock);
}

static void *pooled(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!head && !leaving) {
            idle++;
            pthread_cond_wait(&wakeup, &lock);
            idle--;
        }
        if (leaving) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        task run = dequeue();
        pthread_mutex_unlock(&lock);
        run();
    }
}

static void greet(void)
{
    printf("Hello!\n");
}

int main(void)
{
    pthread_t threads[N];
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&wakeup, 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, pooled, 0);
    enqueue(greet);
    pthread_mutex_lock(&lock);
    leaving = 1;
    pthread_cond_broadcast(&wakeup);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    pthread_mutex_destroy(&lock);
    pthread_cond_destroy(&wakeup);
    return 0;
}
