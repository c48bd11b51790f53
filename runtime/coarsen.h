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

#ifdef __cplusplus
}
#endif

#endif
