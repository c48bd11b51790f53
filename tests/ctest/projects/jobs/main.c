#include "jobs.h"
#include <assert.h>
#include <stdatomic.h>

static atomic_int sum;

static void add(int argument) {
    atomic_fetch_add(&sum, argument);
}

int main(void) {
    jobs_start(2);
    jobs_add(add, 5);
    jobs_close();
    assert(sum == 5);
    return 0;
}
