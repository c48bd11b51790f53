#include "meeting.h"

void meeting_init(struct meeting *m, int expected) {
    pthread_mutex_init(&m->lock, 0);
    pthread_cond_init(&m->complete, 0);
    m->expected = expected;
    m->arrived = m->round = 0;
}

void meeting_wait(struct meeting *m) {
    pthread_mutex_lock(&m->lock);
    int round = m->round;
    if (++m->arrived == m->expected) {
        m->arrived = 0;
        m->round++;
        pthread_cond_broadcast(&m->complete);
    }
#ifdef BUG
    // Who is late sees the next round's count.
    else while (m->arrived != 0) pthread_cond_wait(&m->complete, &m->lock);
    (void)round;
#else
    else while (m->round == round) pthread_cond_wait(&m->complete, &m->lock);
#endif
    pthread_mutex_unlock(&m->lock);
}
