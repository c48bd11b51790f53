// A pool of threads that take tasks from a queue. With BUG only one of them is woken up at the end.
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
    std::vector<std::thread> workers;
    std::queue<std::function<void()>> tasks;
    std::mutex m;
    std::condition_variable changed;
    bool stop = false;

    void work() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(m);
                changed.wait(lock, [this] { return stop || !tasks.empty(); });
                if (tasks.empty()) return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }

public:
    explicit Pool(int n) {
        for (int i = 0; i < n; i++) workers.emplace_back(&Pool::work, this);
    }
    template <class Task> void add(Task task) {
        {
            std::lock_guard<std::mutex> lock(m);
            tasks.emplace(task);
        }
        changed.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(m);
            stop = true;
        }
#ifdef BUG
        changed.notify_one();
#else
        changed.notify_all();
#endif
        for (auto &worker : workers) worker.join();
    }
};

int main() {
    int done = 0;
    {
        Pool pool(2);
        pool.add([&] { done = 1; });
    }
    assert(done == 1);
}
