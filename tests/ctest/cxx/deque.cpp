// A deque whose owner takes from behind, and a thief in front. With BUG it is looked at before it is locked.
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

template <class T> class Deque {
    std::deque<T> all;
    std::mutex m;

    std::optional<T> take(bool behind) {
#ifdef BUG
        if (all.empty()) return std::nullopt;
        std::lock_guard<std::mutex> lock(m);
#else
        std::lock_guard<std::mutex> lock(m);
        if (all.empty()) return std::nullopt;
#endif
        T x = behind ? std::move(all.back()) : std::move(all.front());
        behind ? all.pop_back() : all.pop_front();
        return x;
    }

public:
    void push(T x) {
        std::lock_guard<std::mutex> lock(m);
        all.push_back(std::move(x));
    }
    std::optional<T> pop() { return take(true); }
    std::optional<T> steal() { return take(false); }
};

int main() {
    Deque<int> deque;
    std::atomic<int> sum{0};
    deque.push(1);
    deque.push(2);
    std::thread thief([&] { while (auto x = deque.steal()) sum += *x; });
    while (auto x = deque.pop()) sum += *x;
    thief.join();
    assert(sum == 3);
}
