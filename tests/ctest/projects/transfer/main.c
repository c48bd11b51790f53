#include "account.h"
#include <assert.h>

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 0, 5}, b = {PTHREAD_MUTEX_INITIALIZER, 1, 5};

static void *back(void *unused) {
    transfer(&b, &a, 3);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, back, 0);
    transfer(&a, &b, 2);
    pthread_join(thread, 0);
    assert(a.balance + b.balance == 10);
    return 0;
}
