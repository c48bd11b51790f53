/* The functions that programs for GenMC may call, and `coarsen test` knows. */
#ifndef COARSEN_GENMC_H
#define COARSEN_GENMC_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

/* Stops the thread unless this holds. */
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);

/* Threads. That some are the same is no use here. */
typedef pthread_t __VERIFIER_thread_t;
#define __VERIFIER_spawn(start, arg)                                                                                   \
    ({                                                                                                                 \
        pthread_t coarsen_new;                                                                                         \
        pthread_create(&coarsen_new, NULL, start, arg);                                                                \
        coarsen_new;                                                                                                   \
    })
#define __VERIFIER_spawn_symmetric(start, arg, other) __VERIFIER_spawn(start, arg)
#define __VERIFIER_join(thread)                                                                                        \
    ({                                                                                                                 \
        void *coarsen_value = NULL;                                                                                    \
        pthread_join(thread, &coarsen_value);                                                                          \
        coarsen_value;                                                                                                 \
    })
#define __VERIFIER_join_symmetric(thread) ((void)pthread_join(thread, NULL))

/* Marks of active waits, which are found without them; their arguments are evaluated. */
void __VERIFIER_loop_begin();
void __VERIFIER_spin_start();
void __VERIFIER_spin_end();

/* Hints, which need not be taken. What is optional is left out: no execution that comes to an end has it. */
#define __VERIFIER_local_write(s) do { s; } while (0)
#define __VERIFIER_final_write(s) do { s; } while (0)
#define __VERIFIER_helped_CAS(c) do { c; } while (0)
#define __VERIFIER_helping_CAS(c) do { c; } while (0)
#define __VERIFIER_speculative_read(c) ({ __auto_type coarsen_read = c; coarsen_read; })
#define __VERIFIER_confirming_read(c) ({ __auto_type coarsen_read = c; coarsen_read; })
#define __VERIFIER_confirming_CAS(c) ({ __auto_type coarsen_read = c; coarsen_read; })
#define __VERIFIER_final_CAS(c) ({ __auto_type coarsen_read = c; coarsen_read; })
#define __VERIFIER_optional(x) do { } while (0)

/* Hazard pointers: what is retired is never freed, so none is needed. */
typedef struct { void *nothing; } __VERIFIER_hp_t;
#define __VERIFIER_hp_alloc() ((__VERIFIER_hp_t *)NULL)
#define __VERIFIER_hp_protect(hp, p) ((void)(hp), __atomic_load_n((void **)(p), __ATOMIC_ACQUIRE))
#define __VERIFIER_hp_clear(hp) ((void)(hp))
#define __VERIFIER_hp_free(hp) ((void)(hp))
#define __VERIFIER_hp_retire(p) ((void)(p))

#endif
