#include "promise.h"

void promise_keep(struct promise *p, int value) {
    pthread_mutex_lock(&p->lock);
    p->value = value;
    p->is_kept = 1;
    pthread_cond_broadcast(&p->kept);
    pthread_mutex_unlock(&p->lock);
}

int promise_wait(struct promise *p) {
    pthread_mutex_lock(&p->lock);
#ifdef BUG
    // It may have been kept already: then nobody tells.
    pthread_cond_wait(&p->kept, &p->lock);
#else
    while (!p->is_kept) pthread_cond_wait(&p->kept, &p->lock);
#endif
    int value = p->value;
    pthread_mutex_unlock(&p->lock);
    return value;
}
