// A map from strings that many read and one at a time fills. With BUG it is filled under the lock for reading.
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Cache {
    std::map<std::string, std::shared_ptr<int>> all;
    std::shared_mutex m;

public:
    std::shared_ptr<int> get(const std::string &key) {
        {
            std::shared_lock lock(m);
            auto found = all.find(key);
            if (found != all.end()) return found->second;
        }
#ifdef BUG
        std::shared_lock lock(m);
#else
        std::unique_lock lock(m);
#endif
        auto &entry = all[key];
        if (!entry) entry = std::make_shared<int>(42);
        return entry;
    }
};

int main() {
    Cache cache;
    std::shared_ptr<int> theirs;
    std::thread other([&] { theirs = cache.get("answer"); });
    std::shared_ptr<int> ours = cache.get("answer");
    other.join();
    assert(ours == theirs && *ours == 42);
}
