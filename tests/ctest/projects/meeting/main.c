#include "meeting.h"
#include <assert.h>

static struct meeting meeting;
static int written[2];

static void *walks(void *arg) {
    int me = *(int *)arg;
    written[me] = 1;
    meeting_wait(&meeting);
    assert(written[1 - me] == 1);
    meeting_wait(&meeting);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int names[2] = {0, 1};
    meeting_init(&meeting, 2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, walks, &names[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
