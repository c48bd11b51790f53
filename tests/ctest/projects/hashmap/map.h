// A map from numbers to numbers, with a lock for each bucket.
#pragma once
#include <pthread.h>

enum { BUCKETS = 2 };

struct entry {
    int key, value;
    struct entry *next;
};

struct map {
    pthread_mutex_t locks[BUCKETS];
    struct entry *buckets[BUCKETS];
    pthread_mutex_t size_lock;
    int size;
};

void map_init(struct map *m);
void map_add(struct map *m, int key, int value);
int map_get(struct map *m, int key);
void map_clear(struct map *m);
