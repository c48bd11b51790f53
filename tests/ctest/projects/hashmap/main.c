#include "map.h"
#include <assert.h>

static struct map map;

static void *adds(void *arg) {
    int key = *(int *)arg;
    map_add(&map, key, 10 * key);
    assert(map_get(&map, key) == 10 * key);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int keys[2] = {1, 2};
    map_init(&map);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, adds, &keys[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(map.size == 2);
    map_clear(&map);
    return 0;
}
