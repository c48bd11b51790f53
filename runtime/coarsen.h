/* What a program can say to `coarsen test`. Nothing here is needed. */
#ifndef COARSEN_H
#define COARSEN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Any number below n (at most 65535): each is tried. */
unsigned coarsen_choice(unsigned n);

/* Executions in which this does not hold are not looked at. */
void coarsen_assume(int holds);

/* What a thread does between these two is one step. */
void coarsen_atomic_begin(void);
void coarsen_atomic_end(void);

/* coarsen_transaction("name") { .. } claims that the block is atomic: each execution is equivalent to one in which
   nobody interrupts it. It may be left by break, return and goto. The name is a literal. */
#define coarsen_transaction(name) \
    for (struct coarsen_block coarsen_block_here __attribute__((cleanup(coarsen_block_ends))) = \
             coarsen_block(__extension__({ \
                 static const char *const coarsen_claimed __attribute__((used, section("coarsen_claims"))) = "" name; \
                 coarsen_claimed; \
             })); \
         coarsen_block_here.open; coarsen_block_here.open = 0)
struct coarsen_block { int open; };
void coarsen_transaction_begin(const char *name);
void coarsen_transaction_end(void);
static inline __attribute__((unused)) struct coarsen_block coarsen_block(const char *name) {
    struct coarsen_block block = { 1 };
    coarsen_transaction_begin(name);
    return block;
}
static inline __attribute__((unused)) void coarsen_block_ends(struct coarsen_block *block) {
    (void) block;
    coarsen_transaction_end();
}

/* Checked in every state from here on. The function only reads, and gives 0 where the invariant does not hold. */
void coarsen_invariant(int (*holds)(void));

/* The same for an expression over the variables of a file, outside of functions: checked from before main on. */
#define COARSEN_INVARIANT(...) COARSEN_INVARIANT_NAMED(__COUNTER__, __VA_ARGS__)
#define COARSEN_INVARIANT_NAMED(n, ...) COARSEN_INVARIANT_OF(n, __VA_ARGS__)
#define COARSEN_INVARIANT_OF(n, ...) \
    static int coarsen_holds_##n(void) { return (__VA_ARGS__) ? 1 : 0; } \
    __attribute__((constructor)) static void coarsen_register_##n(void) { \
        coarsen_invariant_text(coarsen_holds_##n, #__VA_ARGS__); \
    }
void coarsen_invariant_text(int (*holds)(void), const char *text);

#ifdef __cplusplus
}
#endif

#endif
