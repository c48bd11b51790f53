#include "spsc.h"

bool spsc_push(struct spsc *q, int value) {
    int tail = atomic_load(&q->tail);
    if (tail - atomic_load(&q->head) == SLOTS) return false;
#ifdef BUG
    // The slot is handed over before it is filled.
    atomic_store(&q->tail, tail + 1);
    q->slots[tail % SLOTS] = value;
#else
    q->slots[tail % SLOTS] = value;
    atomic_store(&q->tail, tail + 1);
#endif
    return true;
}

bool spsc_pop(struct spsc *q, int *value) {
    int head = atomic_load(&q->head);
    if (head == atomic_load(&q->tail)) return false;
    *value = q->slots[head % SLOTS];
    atomic_store(&q->head, head + 1);
    return true;
}
