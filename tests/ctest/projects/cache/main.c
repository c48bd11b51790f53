#include "cache.h"
#include <assert.h>
#include <pthread.h>

static void *reader(void *unused) {
    struct page *page = cache_get(3);
    assert(page->text == 7);
    cache_put(page);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    cache_drop();
    pthread_join(thread, 0);
    cache_drop();
    return 0;
}
