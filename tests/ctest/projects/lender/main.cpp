#include "lender.hpp"
#include <cassert>
#include <thread>

static void uses(lender &l) {
    lender::lent mine = l.borrow();
    if (!mine) return;
    *mine += 1;
    l.give(std::move(mine));
}

int main() {
    lender l;
    std::thread a(uses, std::ref(l)), b(uses, std::ref(l));
    a.join();
    b.join();
    assert(l.left() == 1);
}
