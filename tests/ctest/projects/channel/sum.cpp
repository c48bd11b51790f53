#include "channel.hpp"

int sum_of(channel<int> &numbers) {
    int sum = 0, number;
    while (numbers.receive(number)) sum += number;
    return sum;
}
