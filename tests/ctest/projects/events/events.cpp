#include "events.hpp"

void events::add(std::shared_ptr<listener> one) {
    std::lock_guard<std::mutex> held(lock);
    all.push_back(std::move(one));
}

void events::clear() {
    std::lock_guard<std::mutex> held(lock);
    all.clear();
}

void events::tell(int what) {
#ifdef BUG
    // The list may change under the loop.
    for (auto &one : all) one->happened(what);
#else
    std::vector<std::shared_ptr<listener>> now;
    {
        std::lock_guard<std::mutex> held(lock);
        now = all;
    }
    for (auto &one : now) one->happened(what);
#endif
}
