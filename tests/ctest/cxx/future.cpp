// Results and exceptions that futures hand over. With BUG an exception leaves its thread.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::promise<int> promise;
    auto result = promise.get_future();
    std::thread other([&] {
#ifndef BUG
        try {
#endif
            throw std::runtime_error("no result");
#ifndef BUG
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
#endif
    });
    auto three = std::async(std::launch::async, [] { return 3; });
    bool caught = false;
    try {
        result.get();
    } catch (const std::runtime_error &error) {
        caught = error.what()[0] == 'n';
    }
    other.join();
    assert(caught && three.get() == 3);
}
