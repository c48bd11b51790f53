#include "account.h"

void transfer(struct account *from, struct account *to, int amount) {
#ifdef BUG
    // Two transfers in opposite directions wait for each other.
    struct account *first = from, *second = to;
#else
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}
