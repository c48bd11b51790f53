// Values from one thread to another, until the channel is closed.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

template <class T> class channel {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<T> values;
    bool closed = false;

public:
    void send(T value) {
        std::lock_guard<std::mutex> held(lock);
        values.push_back(value);
        changed.notify_one();
    }

    void close() {
#ifdef BUG
        // Who has just looked, and is about to wait, is not told.
        closed = true;
        changed.notify_all();
#else
        std::lock_guard<std::mutex> held(lock);
        closed = true;
        changed.notify_all();
#endif
    }

    bool receive(T &into) {
        std::unique_lock<std::mutex> held(lock);
        while (values.empty() && !closed) changed.wait(held);
        if (values.empty()) return false;
        into = values.front();
        values.pop_front();
        return true;
    }
};
