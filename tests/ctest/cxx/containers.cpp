// Containers against arrays that are searched from end to end: what is inserted, found, erased, and in which order.
#include <cassert>
#include <list>
#include <set>
#include <string>
#include <unordered_map>

static unsigned seed = 12345;
static unsigned draw(unsigned n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % n;
}

// The number of black nodes on each way down; -1 where the tree is not red and black.
static int black(const std::_Rb_tree_node_base *x) {
    if (!x) return 0;
    bool red = x->_M_color == std::_S_red;
    for (auto *child : {x->_M_left, x->_M_right})
        if (child && (child->_M_parent != x || (red && child->_M_color == std::_S_red))) return -1;
    int left = black(x->_M_left), right = black(x->_M_right);
    return left < 0 || left != right ? -1 : left + !red;
}

static void trees() {
    std::set<int> set;
    bool there[24] = {};
    for (int n = 0; n < 60; n++) {
        int x = draw(24);
        if (draw(5) < 3) {
            assert(set.insert(x).second == !there[x]);
            there[x] = true;
        } else {
            assert((set.erase(x) == 1) == there[x]);
            there[x] = false;
        }
        auto at = set.begin();
        for (int y = 0; y < 24; y++)
            if (there[y]) assert(*at++ == y);
        assert(at == set.end());
        auto back = set.rbegin();
        for (int y = 24; y-- > 0;)
            if (there[y]) assert(*back++ == y);
        assert(back == set.rend());
        const auto *header = set.end()._M_node;
        assert(black(header->_M_parent) >= 0);
        assert(!header->_M_parent || header->_M_parent->_M_color == std::_S_black);
    }
}

static void tables() {
    std::unordered_map<std::string, int> map;
    int values[40];
    for (int &v : values) v = -1;
    for (int n = 0; n < 80; n++) {
        int x = draw(40);
        std::string key = "key " + std::to_string(x);
        if (draw(3)) {
            map[key] = n;
            values[x] = n;
        } else {
            assert((map.erase(key) == 1) == (values[x] >= 0));
            values[x] = -1;
        }
    }
    size_t count = 0;
    for (int x = 0; x < 40; x++) {
        auto found = map.find("key " + std::to_string(x));
        assert((found == map.end()) == (values[x] < 0));
        if (found != map.end()) assert(found->second == values[x]);
        count += values[x] >= 0;
    }
    assert(map.size() == count);
}

static void lists() {
    std::list<int> one = {5, 1, 4}, other = {3, 2}, none;
    one.sort();
    other.sort();
    one.merge(other);
    int n = 1;
    for (int x : one) assert(x == n++);
    assert(n == 6 && other.empty());
    one.reverse();
    other.swap(one);
    one.swap(none);
    assert(one.empty() && none.empty() && other.size() == 5);
    one.splice(one.end(), other, std::next(other.begin()), std::prev(other.end()));
    for (int x : one) assert(x == --n - 1);
    assert(n == 3 && other.front() == 5 && other.back() == 1 && other.size() == 2);
    one.swap(other);
    one.remove(5);
    assert(one.size() == 1 && one.front() == 1 && other.size() == 3 && *other.rbegin() == 2);
}

int main() {
    trees();
    tables();
    lists();
}
