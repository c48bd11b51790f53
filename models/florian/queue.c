/* The array queue of Shann, Huang and Chen without locks, for one producer and one consumer (Florian 2010, A.1).
   It loses an element for every N >= 2: a consumer that looks at an empty cell, and goes on when the queue is full, takes
   the cell for one that another consumer is just emptying, and helps it along. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

struct element {
    int *value;
    unsigned version;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct element cells[N];
static unsigned front, rear;

static int swap_element(struct element *at, struct element *old, struct element *new)
{
    int done = 0;
    pthread_mutex_lock(&guard);
    if (at->value == old->value && at->version == old->version) {
        at->value = new->value;
        at->version = new->version;
        done = 1;
    }
    pthread_mutex_unlock(&guard);
    return done;
}

static void swap_index(unsigned *at, unsigned old, unsigned new)
{
    pthread_mutex_lock(&guard);
    if (*at == old)
        *at = new;
    pthread_mutex_unlock(&guard);
}

static void enqueue(int *item)
{
    for (;;) {
        unsigned at = rear;
        struct element seen, full;
        seen.value = cells[at % N].value;
        seen.version = cells[at % N].version;
        if (at != rear || at == front + N)
            continue;
        if (!seen.value) {
            full.value = item;
            full.version = seen.version + 1;
            if (swap_element(&cells[at % N], &seen, &full)) {
                swap_index(&rear, at, at + 1);
                return;
            }
        } else {
            swap_index(&rear, at, at + 1);
        }
    }
}

static int *dequeue(void)
{
    for (;;) {
        unsigned at = front;
        struct element seen, empty;
        seen.value = cells[at % N].value;
        seen.version = cells[at % N].version;
        if (at != front || at == rear)
            continue;
        if (seen.value) {
            empty.value = 0;
            empty.version = seen.version + 1;
            if (swap_element(&cells[at % N], &seen, &empty)) {
                swap_index(&front, at, at + 1);
                return seen.value;
            }
        } else {
            swap_index(&front, at, at + 1);
        }
    }
}

static void *produce(void *unused)
{
    static int items[N];
    for (int i = 0; i < N; i++) {
        items[i] = i;
        enqueue(&items[i]);
    }
    return 0;
}

static void *consume(void *unused)
{
    for (int i = 0; i < N; i++) {
        int *item = dequeue();
        assert(*item == i);
    }
    return 0;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    consume(0);
    pthread_join(producer, 0);
    return 0;
}
