// What programs in C++ need of the library that acts on threads, on memory, or on what threads share: written anew, and
// compiled as the program is, so that each access is a step and each wait is the scheduler's.
//
// It is the interface between compiled programs and libstdc++ (the Itanium C++ ABI, and libstdc++'s own symbols), so
// no header of the library is read: names that begin with coarsen_c_ stand for the program's only, since the library
// itself uses them before `main`. All else of the library, such as exceptions, is taken as it is.
//
// The order of accesses in trees and lists is the library's: trees are red and black as in Cormen, Leiserson, Rivest &
// Stein, "Introduction to Algorithms", chapter 13.
typedef __SIZE_TYPE__ size_t;
typedef unsigned long pthread_t;
extern "C" {
void *malloc(size_t);
void free(void *);
void *aligned_alloc(size_t, size_t);
int atexit(void (*)());
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
pthread_t pthread_self();
int pthread_mutex_lock(void *);
int pthread_mutex_unlock(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_destroy(void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_timedwait(void *, void *, const void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
struct timespec { long seconds, nanoseconds; };
int clock_gettime(int, timespec *);
int nanosleep(const timespec *, timespec *);
void coarsen_cxx_terminated(const void *) __attribute__((noreturn));
void coarsen_refused(const char *) __attribute__((noreturn));
// The library counts without atomic operations while it takes the process for one with a single thread.
char coarsen_c___libc_single_threaded = 0;
}

// As large as any on this platform, and valid if zero.
struct Mutex { alignas(16) char bytes[40]; };
struct Condition { alignas(16) char bytes[48]; };

namespace std {
[[noreturn]] void __throw_bad_alloc();
[[noreturn]] void __throw_system_error(int);
void (*set_terminate(void (*)()) noexcept)() noexcept;

struct thread {
    struct _State {
        virtual ~_State();
        virtual void _M_run() = 0;
    };
};
thread::_State::~_State() {}
}

// Pointers to member functions that are odd mean virtual ones.
#define AS(name) __asm__(name) __attribute__((aligned(2)))

// What ends a program with an exception that nobody catches, or a thread that nobody joins.
namespace __cxxabiv1 {
extern "C" void *__cxa_current_exception_type();
}
static void ended() {
    coarsen_cxx_terminated(__cxxabiv1::__cxa_current_exception_type());
}
static pthread_t first_thread;
__attribute__((constructor(101))) static void prepared() {
    std::set_terminate(ended);
    first_thread = pthread_self();
}

// Looks at what class an object is of, which who makes or destroys it writes.
extern "C" void *coarsen_dynamic_cast(const void *, const void *, const void *, long);
extern "C" void *coarsen_c___dynamic_cast(const void *object, const void *from, const void *to, long hint) {
    (void)*(void *const volatile *)object;
    return coarsen_dynamic_cast(object, from, to, hint);
}

// Memory. What is too large, or not to be had (`--oom`), is an exception.
static void *allocated(size_t size) {
    void *block = malloc(size ? size : 1);
    if (!block) std::__throw_bad_alloc();
    return block;
}
static void *aligned(size_t size, size_t alignment) {
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!block) std::__throw_bad_alloc();
    return block;
}
extern "C" {
void *coarsen_c__Znwm(size_t size) { return allocated(size); }
void *coarsen_c__Znam(size_t size) { return allocated(size); }
void *coarsen_c__ZnwmRKSt9nothrow_t(size_t size, const void *) { return malloc(size ? size : 1); }
void *coarsen_c__ZnamRKSt9nothrow_t(size_t size, const void *) { return malloc(size ? size : 1); }
void *coarsen_c__ZnwmSt11align_val_t(size_t size, size_t alignment) { return aligned(size, alignment); }
void *coarsen_c__ZnamSt11align_val_t(size_t size, size_t alignment) { return aligned(size, alignment); }
void coarsen_c__ZdlPv(void *block) { free(block); }
void coarsen_c__ZdaPv(void *block) { free(block); }
void coarsen_c__ZdlPvm(void *block, size_t) { free(block); }
void coarsen_c__ZdaPvm(void *block, size_t) { free(block); }
void coarsen_c__ZdlPvRKSt9nothrow_t(void *block, const void *) { free(block); }
void coarsen_c__ZdaPvRKSt9nothrow_t(void *block, const void *) { free(block); }
void coarsen_c__ZdlPvSt11align_val_t(void *block, size_t) { free(block); }
void coarsen_c__ZdaPvSt11align_val_t(void *block, size_t) { free(block); }
void coarsen_c__ZdlPvmSt11align_val_t(void *block, size_t, size_t) { free(block); }
void coarsen_c__ZdaPvmSt11align_val_t(void *block, size_t, size_t) { free(block); }
}

// Objects that are destroyed at the end: each call of `last` is for one of them, from behind.
namespace {
struct AtEnd { void (*destroy)(void *); void *object; } at_end[64];
int ends = 0;
void last() {
    AtEnd end = at_end[--ends];
    end.destroy(end.object);
}
}
extern "C" int coarsen_c___cxa_atexit(void (*destroy)(void *), void *object, void *) {
    int failed = atexit(last);
    if (!failed) at_end[ends++] = {destroy, object};
    return failed;
}

// Objects of a thread's own are destroyed when it ends; those of the first thread at the end.
typedef unsigned pthread_key_t;
extern "C" int pthread_key_create(pthread_key_t *, void (*)(void *));
extern "C" int pthread_setspecific(pthread_key_t, const void *);
namespace {
struct AtThreadEnd {
    void (*destroy)(void *);
    void *object;
    AtThreadEnd *next;
};
__thread AtThreadEnd *thread_ends = nullptr;
pthread_key_t end_of_thread;
bool has_key = false;
Mutex keys;
void thread_ended(void *) {
    while (AtThreadEnd *end = thread_ends) {
        thread_ends = end->next;
        end->destroy(end->object);
        free(end);
    }
}
void first_ended() { thread_ended(nullptr); }
}
extern "C" int coarsen_c___cxa_thread_atexit(void (*destroy)(void *), void *object, void *) {
    AtThreadEnd *end = static_cast<AtThreadEnd *>(malloc(sizeof *end));
    if (!end) return -1;
    *end = {destroy, object, thread_ends};
    if (!thread_ends) {
        if (pthread_self() == first_thread) atexit(first_ended);
        else {
            pthread_mutex_lock(&keys);
            if (!has_key) has_key = !pthread_key_create(&end_of_thread, thread_ended);
            pthread_mutex_unlock(&keys);
            pthread_setspecific(end_of_thread, end);
        }
    }
    thread_ends = end;
    return 0;
}

// Local variables that are initialised once. The first byte of a guard says that it is done, the second that it is begun.
namespace {
Mutex guards;
Condition guarded;
}
extern "C" {
int coarsen_c___cxa_guard_acquire(char *guard) {
    pthread_mutex_lock(&guards);
    while (guard[1]) pthread_cond_wait(&guarded, &guards);
    bool done = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
    if (!done) guard[1] = 1;
    pthread_mutex_unlock(&guards);
    return !done;
}
static void left(char *guard, bool done) {
    pthread_mutex_lock(&guards);
    guard[1] = 0;
    if (done) __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&guarded);
    pthread_mutex_unlock(&guards);
}
void coarsen_c___cxa_guard_release(char *guard) { left(guard, true); }
void coarsen_c___cxa_guard_abort(char *guard) { left(guard, false); }
}

// Threads: an object of class `thread` is what pthreads number a thread with.
static void *run(void *all) {
    std::thread::_State *state = static_cast<std::thread::_State *>(all);
    state->_M_run();
    delete state;
    return nullptr;
}
void start(pthread_t *self, std::thread::_State **state, void (*)())
    AS("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
void start(pthread_t *self, std::thread::_State **state, void (*)()) {
    if (int failed = pthread_create(self, nullptr, run, *state)) std::__throw_system_error(failed);
    *state = nullptr;
}
static const int INVALID = 22;
void join(pthread_t *self) AS("_ZNSt6thread4joinEv");
void join(pthread_t *self) {
    int failed = *self ? pthread_join(*self, nullptr) : INVALID;
    if (failed) std::__throw_system_error(failed);
    *self = 0;
}
void detach(pthread_t *self) AS("_ZNSt6thread6detachEv");
void detach(pthread_t *self) {
    int failed = *self ? pthread_detach(*self) : INVALID;
    if (failed) std::__throw_system_error(failed);
    *self = 0;
}
unsigned processors() AS("_ZNSt6thread20hardware_concurrencyEv");
unsigned processors() { return 2; }
void sleep_for(long seconds, long nanoseconds) AS("_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE");
void sleep_for(long seconds, long nanoseconds) {
    timespec time = {seconds, nanoseconds};
    nanosleep(&time, nullptr);
}

// Condition variables. A lock of class `unique_lock` begins with a pointer to its mutex.
void created(void *self) AS("_ZNSt18condition_variableC1Ev");
void created(void *self) { pthread_cond_init(self, nullptr); }
void created2(void *self) AS("_ZNSt18condition_variableC2Ev");
void created2(void *self) { pthread_cond_init(self, nullptr); }
void destroyed(void *self) AS("_ZNSt18condition_variableD1Ev");
void destroyed(void *self) { pthread_cond_destroy(self); }
void destroyed2(void *self) AS("_ZNSt18condition_variableD2Ev");
void destroyed2(void *self) { pthread_cond_destroy(self); }
void wait(void *self, void **lock) AS("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");
void wait(void *self, void **lock) { pthread_cond_wait(self, *lock); }
void notify_one(void *self) AS("_ZNSt18condition_variable10notify_oneEv");
void notify_one(void *self) { pthread_cond_signal(self); }
void notify_all(void *self) AS("_ZNSt18condition_variable10notify_allEv");
void notify_all(void *self) { pthread_cond_broadcast(self); }

// Waits for a change of what is at an address, as the kernel's futexes have them: who waits is woken by somebody who
// has changed it, one or all of those that wait there.
namespace {
Mutex waiting;
struct Waiting {
    const void *at;
    int count;
    Condition changed;
} waits[64];
int used = 0;
Waiting *waits_at(const void *at) {
    for (int i = 0; i < used; i++)
        if (waits[i].count && waits[i].at == at) return &waits[i];
    return nullptr;
}
Waiting *unused() {
    for (int i = 0; i < used; i++)
        if (!waits[i].count) return &waits[i];
    if (used == 64) coarsen_refused("waits at more than 64 addresses at once");
    return &waits[used++];
}
// Whether it was woken, or need not wait, before its time has come.
bool wait_at(unsigned *at, unsigned value, const timespec *until) {
    int failed = 0;
    pthread_mutex_lock(&waiting);
    if (__atomic_load_n(at, __ATOMIC_SEQ_CST) == value) {
        Waiting *w = waits_at(at);
        if (!w) w = unused();
        w->at = at;
        w->count++;
        failed = until ? pthread_cond_timedwait(&w->changed, &waiting, until) : pthread_cond_wait(&w->changed, &waiting);
        w->count--;
    }
    pthread_mutex_unlock(&waiting);
    return !failed;
}
void wake(const void *at, bool all) {
    pthread_mutex_lock(&waiting);
    if (Waiting *w = waits_at(at)) {
        if (all) pthread_cond_broadcast(&w->changed);
        else pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&waiting);
}
}
extern "C" {
int *__errno_location();
long coarsen_c_syscall(long, long, long, long, long, long, long);
// Atomic variables, latches and semaphores wait by system calls.
long coarsen_cxx_syscall(long number, long at, long what, long value, const timespec *until, long e, long f) {
    enum { FUTEX = 202, WAIT = 0, WAKE = 1, WAIT_BITSET = 9, PRIVATE = 128, TIMED_OUT = 110 };
    if (number != FUTEX) return coarsen_c_syscall(number, at, what, value, (long)until, e, f);
    switch (what & ~PRIVATE) {
    case WAKE:
        wake((void *)at, value > 1);
        return 0;
    case WAIT:
        if (until) break;
    case WAIT_BITSET:
        if (wait_at((unsigned *)at, (unsigned)value, until)) return 0;
        *__errno_location() = TIMED_OUT;
        return -1;
    }
    return coarsen_c_syscall(number, at, what, value, (long)until, e, f);
}
}

// What futures wait for: the address holds another value.
bool wait_until(void *, unsigned *at, unsigned value, bool limited, long seconds, long nanoseconds)
    AS("_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE");
bool wait_until(void *, unsigned *at, unsigned value, bool limited, long seconds, long nanoseconds) {
    timespec until = {seconds, nanoseconds};
    return wait_at(at, value, limited ? &until : nullptr);
}
bool wait_until_steady(void *self, unsigned *at, unsigned value, bool limited, long seconds, long nanoseconds)
    AS("_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE");
bool wait_until_steady(void *self, unsigned *at, unsigned value, bool limited, long seconds, long nanoseconds) {
    return wait_until(self, at, value, limited, seconds, nanoseconds);
}
void notify_futures(unsigned *at) AS("_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj");
void notify_futures(unsigned *at) { wake(at, true); }

// Clocks, in nanoseconds.
static long now(int clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.seconds * 1000000000 + time.nanoseconds;
}
long system_now() AS("_ZNSt6chrono3_V212system_clock3nowEv");
long system_now() { return now(0); }
long steady_now() AS("_ZNSt6chrono3_V212steady_clock3nowEv");
long steady_now() { return now(1); }

// Lists in a ring.
struct Link { Link *next, *previous; };
void hook(Link *self, Link *before) AS("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
void hook(Link *self, Link *before) {
    self->next = before;
    self->previous = before->previous;
    before->previous->next = self;
    before->previous = self;
}
void unhook(Link *self) AS("_ZNSt8__detail15_List_node_base9_M_unhookEv");
void unhook(Link *self) {
    Link *next = self->next, *previous = self->previous;
    previous->next = next;
    next->previous = previous;
}
void transfer(Link *self, Link *first, Link *end) AS("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void transfer(Link *self, Link *first, Link *end) {
    if (self == end) return;
    end->previous->next = self;
    first->previous->next = end;
    self->previous->next = first;
    Link *before = self->previous;
    self->previous = end->previous;
    end->previous = first->previous;
    first->previous = before;
}
void reverse(Link *self) AS("_ZNSt8__detail15_List_node_base10_M_reverseEv");
void reverse(Link *self) {
    Link *at = self;
    do {
        Link *next = at->next;
        at->next = at->previous;
        at->previous = next;
        at = next;
    } while (at != self);
}
void exchange(Link &one, Link &other) AS("_ZNSt8__detail15_List_node_base4swapERS0_S1_");
void exchange(Link &one, Link &other) {
    bool empty = one.next == &one, other_empty = other.next == &other;
    if (empty && other_empty) return;
    Link first = one, second = other;
    one = second;
    other = first;
    if (other_empty) one.next = one.previous = &one;
    else one.next->previous = one.previous->next = &one;
    if (empty) other.next = other.previous = &other;
    else other.next->previous = other.previous->next = &other;
}

// Trees. The header's parent is the root, its children are the smallest and the largest node, and it is red.
enum Colour { RED, BLACK };
struct Node { Colour colour; Node *parent, *left, *right; };
const Node *increment(const Node *x) AS("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
const Node *increment(const Node *x) {
    if (x->right) {
        x = x->right;
        while (x->left) x = x->left;
        return x;
    }
    const Node *y = x->parent;
    while (x == y->right) {
        x = y;
        y = y->parent;
    }
    return x->right != y ? y : x;
}
Node *increment_one(Node *x) AS("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
Node *increment_one(Node *x) { return const_cast<Node *>(increment(x)); }
const Node *decrement(const Node *x) AS("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");
const Node *decrement(const Node *x) {
    if (x->colour == RED && x->parent->parent == x) return x->right;
    if (x->left) {
        x = x->left;
        while (x->right) x = x->right;
        return x;
    }
    const Node *y = x->parent;
    while (x == y->left) {
        x = y;
        y = y->parent;
    }
    return y;
}
Node *decrement_one(Node *x) AS("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
Node *decrement_one(Node *x) { return const_cast<Node *>(decrement(x)); }

// One side of a node, and the other.
static Node *&side(Node *x, bool left) { return left ? x->left : x->right; }

// x's child on the other side takes its place, and x becomes that one's child on this side.
static void rotate(Node *x, bool left, Node *&root) {
    Node *y = side(x, !left);
    side(x, !left) = side(y, left);
    if (Node *inner = side(y, left)) inner->parent = x;
    y->parent = x->parent;
    if (x == root) root = y;
    else side(x->parent, x == x->parent->left) = y;
    side(y, left) = x;
    x->parent = y;
}

void insert(bool left, Node *x, Node *parent, Node &header)
    AS("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
void insert(bool left, Node *x, Node *parent, Node &header) {
    Node *&root = header.parent;
    x->parent = parent;
    x->left = x->right = nullptr;
    x->colour = RED;
    if (left) {
        parent->left = x;
        if (parent == &header) {
            header.parent = x;
            header.right = x;
        } else if (parent == header.left) header.left = x;
    } else {
        parent->right = x;
        if (parent == header.right) header.right = x;
    }
    while (x != root && x->parent->colour == RED) {
        Node *above = x->parent->parent;
        bool on_left = x->parent == above->left;
        Node *uncle = side(above, !on_left);
        if (uncle && uncle->colour == RED) {
            x->parent->colour = BLACK;
            uncle->colour = BLACK;
            above->colour = RED;
            x = above;
            continue;
        }
        if (x == side(x->parent, !on_left)) {
            x = x->parent;
            rotate(x, on_left, root);
        }
        x->parent->colour = BLACK;
        above->colour = RED;
        rotate(above, !on_left, root);
    }
    root->colour = BLACK;
}

static Node *lowest(Node *x, bool left) {
    while (side(x, left)) x = side(x, left);
    return x;
}

Node *erase(Node *z, Node &header) AS("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
Node *erase(Node *z, Node &header) {
    Node *&root = header.parent;
    // y leaves its place: z itself, or what comes behind it and takes z's place. x comes where y was.
    Node *y = z->left && z->right ? lowest(z->right, true) : z;
    Node *x = y->left ? y->left : y->right;
    Node *above;
    if (y != z) {
        z->left->parent = y;
        y->left = z->left;
        if (y != z->right) {
            above = y->parent;
            if (x) x->parent = above;
            above->left = x;
            y->right = z->right;
            z->right->parent = y;
        } else above = y;
        if (root == z) root = y;
        else side(z->parent, z->parent->left == z) = y;
        y->parent = z->parent;
        Colour colour = y->colour;
        y->colour = z->colour;
        z->colour = colour;
    } else {
        above = y->parent;
        if (x) x->parent = above;
        if (root == z) root = x;
        else side(z->parent, z->parent->left == z) = x;
        if (header.left == z) header.left = z->right ? lowest(x, true) : z->parent;
        if (header.right == z) header.right = z->left ? lowest(x, false) : z->parent;
    }
    if (z->colour == RED) return z;
    while (x != root && (!x || x->colour == BLACK)) {
        bool left = x == above->left;
        Node *w = side(above, !left);
        if (w->colour == RED) {
            w->colour = BLACK;
            above->colour = RED;
            rotate(above, left, root);
            w = side(above, !left);
        }
        Node *near = side(w, left), *far = side(w, !left);
        if ((!near || near->colour == BLACK) && (!far || far->colour == BLACK)) {
            w->colour = RED;
            x = above;
            above = above->parent;
            continue;
        }
        if (!far || far->colour == BLACK) {
            near->colour = BLACK;
            w->colour = RED;
            rotate(w, !left, root);
            w = side(above, !left);
        }
        w->colour = above->colour;
        above->colour = BLACK;
        if (side(w, !left)) side(w, !left)->colour = BLACK;
        rotate(above, left, root);
        break;
    }
    if (x) x->colour = BLACK;
    return z;
}

// Hash tables: the number of buckets is the next prime, and a table grows when there are more elements than that.
struct Policy { float load; mutable size_t next; };
struct Rehash { bool needed; size_t buckets; };
size_t buckets(const Policy *self, size_t n) AS("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
size_t buckets(const Policy *self, size_t n) {
    if (n == 0) return 1;
    if (n < 2) n = 2;
    for (;; n++) {
        size_t d = 2;
        while (d * d <= n && n % d) d++;
        if (d * d > n) break;
    }
    self->next = (size_t)(n * (double)self->load);
    return n;
}
Rehash rehash(const Policy *self, size_t buckets, size_t elements, size_t more)
    AS("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
Rehash rehash(const Policy *self, size_t now, size_t elements, size_t more) {
    if (elements + more <= self->next) return {false, 0};
    size_t all = elements + more;
    if (!self->next && all < 11) all = 11;
    double least = all / (double)self->load;
    if (least >= now) {
        size_t wanted = (size_t)least + 1;
        return {true, buckets(self, wanted > 2 * now ? wanted : 2 * now)};
    }
    self->next = (size_t)(now * (double)self->load);
    return {false, 0};
}
size_t hash(const void *at, size_t length, size_t seed) AS("_ZSt11_Hash_bytesPKvmm");
size_t hash(const void *at, size_t length, size_t seed) {
    // Fowler, Noll & Vo's.
    size_t all = 14695981039346656037u ^ seed;
    for (size_t i = 0; i < length; i++) all = (all ^ ((const unsigned char *)at)[i]) * 1099511628211u;
    return all;
}
