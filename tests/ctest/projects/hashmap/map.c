#include "map.h"
#include <stdlib.h>

void map_init(struct map *m) {
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&m->locks[i], 0);
        m->buckets[i] = 0;
    }
    pthread_mutex_init(&m->size_lock, 0);
    m->size = 0;
}

void map_add(struct map *m, int key, int value) {
    int i = key % BUCKETS;
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->value = value;
    pthread_mutex_lock(&m->locks[i]);
    e->next = m->buckets[i];
    m->buckets[i] = e;
#ifdef BUG
    // The lock of the bucket does not protect what all buckets share.
    m->size++;
    pthread_mutex_unlock(&m->locks[i]);
#else
    pthread_mutex_unlock(&m->locks[i]);
    pthread_mutex_lock(&m->size_lock);
    m->size++;
    pthread_mutex_unlock(&m->size_lock);
#endif
}

int map_get(struct map *m, int key) {
    int i = key % BUCKETS, found = -1;
    pthread_mutex_lock(&m->locks[i]);
    for (struct entry *e = m->buckets[i]; e; e = e->next) {
        if (e->key == key) {
            found = e->value;
            break;
        }
    }
    pthread_mutex_unlock(&m->locks[i]);
    return found;
}

void map_clear(struct map *m) {
    for (int i = 0; i < BUCKETS; i++) {
        while (m->buckets[i]) {
            struct entry *e = m->buckets[i];
            m->buckets[i] = e->next;
            free(e);
        }
    }
}
