#include "stack.h"
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next, *gone;
};

static _Atomic(struct node *) top, gone;

void stack_push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n)) {
    }
}

int stack_pop(void) {
    struct node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next)) {
    }
    if (!n) return 0;
    int value = n->value;
#ifdef BUG
    // Somebody else may be about to read its successor.
    free(n);
#else
    n->gone = atomic_load(&gone);
    while (!atomic_compare_exchange_strong(&gone, &n->gone, n)) {
    }
#endif
    return value;
}

void stack_end(void) {
    for (struct node *n = top; n;) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
    for (struct node *n = gone; n;) {
        struct node *next = n->gone;
        free(n);
        n = next;
    }
}
