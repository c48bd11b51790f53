#include "lender.hpp"

lender::lender() {
    free.push_back(std::make_unique<int>(0));
}

lender::lent lender::borrow() {
#ifdef BUG
    // Another thread may take the last one in between.
    if (free.empty()) return nullptr;
    std::lock_guard<std::mutex> held(lock);
#else
    std::lock_guard<std::mutex> held(lock);
    if (free.empty()) return nullptr;
#endif
    lent object = std::move(free.back());
    free.pop_back();
    return object;
}

void lender::give(lent object) {
    std::lock_guard<std::mutex> held(lock);
    free.push_back(std::move(object));
}

std::size_t lender::left() {
    std::lock_guard<std::mutex> held(lock);
    return free.size();
}
