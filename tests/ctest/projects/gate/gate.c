#include "gate.h"

void gate_enter(struct gate *g) {
    pthread_mutex_lock(&g->lock);
    while (g->places == 0) pthread_cond_wait(&g->free, &g->lock);
    g->places--;
    pthread_mutex_unlock(&g->lock);
}

void gate_leave(struct gate *g) {
#ifdef BUG
    // Two that leave may both read the same number.
    int places = g->places;
    pthread_mutex_lock(&g->lock);
    g->places = places + 1;
#else
    pthread_mutex_lock(&g->lock);
    g->places++;
#endif
    pthread_cond_signal(&g->free);
    pthread_mutex_unlock(&g->lock);
}
