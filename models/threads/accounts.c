/* Two accounts with a lock each. `transfer` is claimed to be atomic, and so is `total`, which gives the first lock back
   too early: a transfer between its two reads is counted half. */
#include "coarsen.h"
#include <pthread.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[2] = {
    { PTHREAD_MUTEX_INITIALIZER, 10 },
    { PTHREAD_MUTEX_INITIALIZER, 20 },
};

static void transfer(int amount)
{
    coarsen_transaction("transfer") {
        pthread_mutex_lock(&accounts[0].lock);
        pthread_mutex_lock(&accounts[1].lock);
        accounts[0].balance -= amount;
        accounts[1].balance += amount;
        pthread_mutex_unlock(&accounts[1].lock);
        pthread_mutex_unlock(&accounts[0].lock);
    }
}

static int total(void)
{
    int sum = 0;
    coarsen_transaction("total") {
        for (int i = 0; i < 2; i++) {
            pthread_mutex_lock(&accounts[i].lock);
            sum += accounts[i].balance;
            pthread_mutex_unlock(&accounts[i].lock);
        }
    }
    return sum;
}

static void *teller(void *unused)
{
    transfer(5);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, teller, 0);
    total();
    pthread_join(other, 0);
    return 0;
}
