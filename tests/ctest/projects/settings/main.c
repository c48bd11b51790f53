#include "settings.h"
#include <assert.h>
#include <pthread.h>

static void *reads(void *unused) {
    const struct settings *s = settings_enter();
    assert(s->width == s->height);
    settings_leave();
    return 0;
}

int main(void) {
    pthread_t thread;
    settings_replace(1, 1);
    pthread_create(&thread, 0, reads, 0);
    settings_replace(2, 2);
    pthread_join(thread, 0);
    return 0;
}
