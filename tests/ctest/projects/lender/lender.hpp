// Objects that are lent, and come back when they are dropped.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

class lender {
    std::mutex lock;
    std::vector<std::unique_ptr<int>> free;

public:
    lender();
    using lent = std::unique_ptr<int>;
    lent borrow();
    void give(lent object);
    std::size_t left();
};
