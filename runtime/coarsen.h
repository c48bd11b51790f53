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
