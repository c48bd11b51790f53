// Virtual calls, types at run time and shared ownership. With BUG what the last owner has left is used.
#include <cassert>
#include <memory>
#include <thread>

int left = 0;

struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() { left++; }
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};

int main() {
    std::shared_ptr<Shape> ours = std::make_shared<Square>(3);
#ifdef BUG
    Shape *theirs = ours.get();
#else
    std::shared_ptr<Shape> theirs = ours;
#endif
    int area = 0;
    std::thread other([&area, theirs] { area = theirs->area(); });
#ifndef BUG
    theirs.reset();
#endif
    assert(dynamic_cast<Square *>(ours.get()));
    ours.reset();
    other.join();
    assert(area == 9);
}
