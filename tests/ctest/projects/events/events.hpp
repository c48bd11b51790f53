// Those who listen are told what has happened, by virtual calls.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

struct listener {
    virtual void happened(int what) = 0;
    virtual ~listener() = default;
};

class events {
    std::mutex lock;
    std::vector<std::shared_ptr<listener>> all;

public:
    void add(std::shared_ptr<listener> one);
    void clear();
    void tell(int what);
};
