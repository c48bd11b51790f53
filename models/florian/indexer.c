/* A hash table that threads fill without a common lock (Flanagan and Godefroid 2005; Florian 2010, A.2).
   N threads, main among them. Up to 11 threads never meet in the table. */
#include <pthread.h>

#ifndef N
#define N 4
#endif
#define SIZE 128
#define MAX 4

static int table[SIZE];
static pthread_mutex_t guard[SIZE];
static pthread_t workers[N];

static int claim(int slot, int value)
{
    int won = 0;
    pthread_mutex_lock(&guard[slot]);
    if (table[slot] == 0) {
        table[slot] = value;
        won = 1;
    }
    pthread_mutex_unlock(&guard[slot]);
    return won;
}

static void insert_all(int id)
{
    for (int m = 1; m <= MAX; m++) {
        int value = m * 11 + id;
        int slot = value * 7 % SIZE;
        while (!claim(slot, value))
            slot = (slot + 1) % SIZE;
    }
}

static void *worker(void *id)
{
    insert_all((int)(long)id);
    return 0;
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&guard[i], 0);
    for (int i = 0; i < N - 1; i++)
        pthread_create(&workers[i], 0, worker, (void *)(long)i);
    insert_all(N - 1);
    for (int i = 0; i < N - 1; i++)
        pthread_join(workers[i], 0);
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_destroy(&guard[i]);
    return 0;
}
