#include "channel.hpp"
#include <cassert>
#include <thread>

int sum_of(channel<int> &numbers);

int main() {
    channel<int> numbers;
    int sum = 0;
    std::thread receiver([&] { sum = sum_of(numbers); });
    numbers.send(3);
    numbers.close();
    receiver.join();
    assert(sum == 3);
}
