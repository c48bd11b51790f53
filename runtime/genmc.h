/* The functions that programs for GenMC may call, and `coarsen test` knows. */
#ifndef COARSEN_GENMC_H
#define COARSEN_GENMC_H

/* Stops the thread unless this holds. */
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);

/* Marks of active waits, which are found without them. */
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(void);

#endif
