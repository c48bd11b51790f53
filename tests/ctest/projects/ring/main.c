#include "ring.h"
#include <assert.h>

static struct ring ring;
static int taken[2];

static void *taker(void *me) {
    taken[*(int *)me] = ring_take(&ring);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int names[2] = {0, 1};
    ring_init(&ring);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, taker, &names[i]);
    ring_put(&ring, 1);
    ring_put(&ring, 2);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(taken[0] + taken[1] == 3);
    return 0;
}
