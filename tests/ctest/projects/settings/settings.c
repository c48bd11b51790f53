#include "settings.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static struct settings *current;
static int readers;

const struct settings *settings_enter(void) {
    pthread_mutex_lock(&lock);
    readers++;
    const struct settings *s = current;
    pthread_mutex_unlock(&lock);
    return s;
}

void settings_leave(void) {
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&lock);
}

void settings_replace(int width, int height) {
    struct settings *fresh = malloc(sizeof *fresh);
    fresh->width = width;
    fresh->height = height;
    pthread_mutex_lock(&lock);
    struct settings *old = current;
    current = fresh;
#ifndef BUG
    while (readers > 0) pthread_cond_wait(&left, &lock);
#endif
    pthread_mutex_unlock(&lock);
    free(old);
}
