//! No execution in vain: the table of "Optimal Dynamic Partial Order Reduction" (Abdulla et al. 2014, `lastzero`).

use super::*;
use coarsen::ctest::explore::ALONE;

/// `n` threads write one cell each, after the one before; one thread looks for the last cell that is 0.
fn last_zero(n: u32) -> String {
    format!(
        "{HEAD}#define N {n}\natomic_int array[N + 1];\n\
         void *r(void *a) {{ for (int i = N; array[i] != 0; i--); return 0; }}\n\
         void *w(void *p) {{ long j = (long)p; atomic_store(&array[j], array[j - 1] + 1); return 0; }}\n\
         int main() {{ pthread_t t[N + 1];\n\
         for (long i = 0; i <= N; i++) pthread_create(&t[i], 0, i ? w : r, (void *)i);\n\
         for (int i = 0; i <= N; i++) pthread_join(t[i], 0); return 0; }}\n"
    )
}

#[test]
fn last_zero_in_pieces_of_all_sizes() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("optimal");
    let most = if crate::random::long() { 11 } else { 8 };
    for n in 2..=most {
        let program = make(&scratch.file(&format!("last_zero_{n}"), &last_zero(n)), &[]);
        for (piece, alone) in [
            (1, 0),
            (8, 0),
            (64, 0),
            (1, 1_000),
            (8, 10_000),
            (64, ALONE),
        ] {
            let settings = Settings {
                piece,
                alone,
                ..settings()
            };
            let found = run(&program, &settings);
            assert!(found.finished && found.limits.is_empty());
            let executions = u64::from(n + 3) << (n - 2);
            assert_eq!(found.executions, executions, "{n}, {piece}, {alone}");
            if alone == ALONE {
                assert_eq!(found.redundant, 0, "{n}");
            }
        }
    }
}
