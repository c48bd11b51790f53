#include "cache.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct page *current;

struct page *cache_get(int number) {
    pthread_mutex_lock(&lock);
    if (!current) {
        current = calloc(1, sizeof *current);
        current->number = number;
        current->text = 7;
    }
    struct page *page = current;
    page->users++;
    pthread_mutex_unlock(&lock);
    return page;
}

void cache_put(struct page *page) {
    pthread_mutex_lock(&lock);
    if (--page->users == 0 && page->stale) free(page);
    pthread_mutex_unlock(&lock);
}

void cache_drop(void) {
    pthread_mutex_lock(&lock);
    if (current) {
#ifdef BUG
        // Somebody may still read it.
        free(current);
#else
        current->stale = 1;
        if (current->users == 0) free(current);
#endif
        current = 0;
    }
    pthread_mutex_unlock(&lock);
}
