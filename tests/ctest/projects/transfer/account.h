// Accounts with a lock each, and transfers between two.
#pragma once
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int number, balance;
};

void transfer(struct account *from, struct account *to, int amount);
