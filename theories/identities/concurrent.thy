// Omega algebra with tests: processes side by side.
//
// Lipton 1975, "Reduction: a method of proving properties of parallel programs"; Cohen & Lamport 1998, "Reduction in TLA"; Cohen 2000,
// "Separation and reduction"; Flanagan & Qadeer 2003, "Types for atomicity"; Stoller & Cohen 2003; Mazurkiewicz 1977 (traces); Owicki & Gries
// 1976 and Jones 1983 (interference); Godefroid 1996 (persistent sets). `x` moves to the right of `y` if `x y <= y x`. Laws with
// indices hold for any number of processes; `(+ i : a[i])` is a step of some process, `(+ j != i : a[j])` one of another.

use kleene;

level tests;

action a[i], b[i], c[i], d, f[i, j], l, m, n, s[i], u, v, w, x, y, z;
test g[i], h, k, p[i], q, t;

let all_a = (+ i : a[i]);
let all_b = (+ i : b[i]);
let all_s = (+ i : s[i]);
let all_p = (. i : p[i]);

// Movers and blocks: m moves to the right of the others' steps d, l to the left.

identity mover_right_past_run [m d <= d m] : m d* <= d* m;
identity mover_left_past_run [d l <= l d] : d* l <= l d*;
identity mover_guarded [m d <= d m, h d = d h] : h m d <= d h m;
identity mover_skips [m d <= d + d m] : m* d <= d m*;
identity mover_in_loop [m d <= d m] : (m + d)* = d* m*;

identity block_right_last [m d <= d m] : m d* x <= d* m x;
identity block_left_first [d l <= l d] : x d* l <= x l d*;
identity block_three [m d <= d m, d l <= l d] : m d* x d* l <= d* m x l d*;
identity block_three_around [m d <= d m, d l <= l d] : d* m d* x d* l d* = d* m x l d* ;
identity block_runs [m d <= d m, d l <= l d] : (m + d)* x (l + d)* <= d* m* x l* d*;
identity block_two_steps_each [rm : n d <= d n, um : u d <= d u, lm : d l <= l d, mm : d m <= m d] :
    n d* u d* x d* l d* m <= d* n u x l m d*
    by rm, um, lm, mm, mover_right_past_run(m := n), mover_right_past_run(m := u), mover_left_past_run,
       mover_left_past_run(l := m);
identity block_only_movers [m d <= d m, d l <= l d] : m d* l <= d* m l d*;
identity block_sequence [m d <= d m, u d <= d u, d l <= l d] : m d* u x d* l <= d* m u x l d*;
identity block_loop [m d <= d m, d l <= l d] : (m d* x d* l)* <= (d* m x l d*)*;
identity block_atomic_loop [m d <= d m, d l <= l d] : (d + m d* x d* l)* <= (d + m x l)*;
identity block_conditional [m d <= d m, h d = d h, d l <= l d] :
    h m d* x d* l + ~h d* l <= d* (h m x l + ~h l) d*;
identity block_acquire_release [m d <= d m, d l <= l d, d x = x d] : m d* x d* x d* l <= d* m x x l d*;
identity block_no_others_inside [m d = 0, d l <= l d] : m d* x d* l <= m x l d*;
identity block_lock [d n = d h n, h n = 0] : d n* = d;
identity block_both_movers [d x = x d, d y = y d] : x d* y d* = x y d*;
identity block_iterated_body [m d <= d m, d l <= l d] : (m + d)* (x + 1) (l + d)* <= d* m* (x + 1) l* d*;

// Reduction of a whole system to blocks: from runs of steps to runs of blocks (Cohen & Lamport; Cohen).

identity reduce_pushed_out [q m = 0, m d <= d m] : q (m + d)* = q (1 + d d* m*);
identity reduce_to_ends [m d <= d m, m q = 0] : (m + d)* q = d* q;
identity reduce_left_to_starts [d l <= l d, q l = 0] : q (d + l)* <= q (1 + d (d + l)*);
identity reduce_left_from_start [d l <= l d, q l = 0] : q (d + l)* = q d*;
identity reduce_both_sorted [d l <= l d, m l <= l m] : (m + d + l)* <= l* (m + d)*;
identity reduce_both_ends [rm : m d <= d m, rq : m q = 0, tr : t m = 0, lm : d l <= l d, tl : t l = 0, rl : m l <= l m] :
    t (m + d + l)* q
        <= t l* (m + d)* q by lm, rl, reduce_both_sorted
        <= t d* q by rm, rq, tl, reduce_to_ends, no_sequel_right(x := t, y := l)
        <= t (m + d + l)* q;
identity reduce_right_past_block [rm : m d <= d m] : m* (d + m* x) <= (d + m* x) m*
    by rm, commutation_lifts(x := d, y := m), induction;
identity reduce_right_past_blocks [rm : m d <= d m] : m* (d + m* x)* <= (d + m* x)* m*
    by rm, reduce_right_past_block, simulation_right(x := d + m* x, y := m*, z := d + m* x);
identity reduce_right_blocks [rm : m d <= d m, rq : m q = 0] : (m + d + x)* q = (d + m* x)* q
    by rm, rq, reduce_right_past_blocks, induction;
identity reduce_left_past_block [lm : d l <= l d] : (d + x l*) l <= l* (d + x l*) by lm, induction;
identity reduce_left_past_blocks [lm : d l <= l d] : (d + x l*)* l* <= l* (d + x l*)*
    by lm, reduce_left_past_block, commutation_lifts_weak(x := l, y := d + x l*);
identity reduce_left_blocks [lm : d l <= l d, tl : t l = 0] : t (l + d + x)* = t (d + x l*)*
    by lm, tl, reduce_left_past_blocks, induction;
identity reduce_blocks_to_end [lm : d l <= l d, tl : t l = 0] : t (l + d + x)* y = t (d + x l*)* y
    by lm, tl, reduce_left_blocks;
identity reduce_stuttering [d l <= l d + d] : d l* <= l* d;
identity reduce_with_failure [d x <= x d + w, w d <= w] : d* x <= x d* + d* w;
identity reduce_invisible [q l = q l q, l q = q l, d l <= l d] : q d* l <= l q d* + q l d*;

// Independent steps: traces.

identity trace_swap [x y = y x] : u x y v = u y x v;
identity trace_two_by_two [x u = u x, x v = v x, y u = u y, y v = v y] : x u y v = u v x y;
identity trace_interleavings [x u = u x, x v = v x, y u = u y, y v = v y] :
    x u y v + u x v y + x u v y + u x y v = x y u v;
identity trace_runs [x y = y x] : (x + y)* = x* y*;
identity trace_runs_three [x y = y x, x z = z x, y z = z y] : (x + y + z)* = z* y* x*;
identity trace_dependent_alphabet [x y = y x, x z = z x] : (x + y + z)* = x* (y + z)*;
identity trace_both_even [x y = y x] : (x x)* (y y)* <= (x x + y y + x y)*;
identity trace_normal_form [x y = y x, x z = z x] : (x + y z)* = x* (y z)*;
identity trace_first_is_mover [x y = y x, y* q = q] : (x + y)* q = x* q;

// Commuting tests: conditions that others keep.

identity stable_in_block [h d <= d h, h x <= x k] : h d* x <= d* x k;
identity stable_assertions [h d <= d h, k d <= d k, h x <= x k] : h d* x d* <= d* x d* k;
identity stable_parallel_composition
    [h x <= x h, h y <= y h] : h (x + y)* <= (x + y)* h;
identity stable_owicki_gries
    [h x ~k = 0, h y ~h = 0, k y ~k = 0] : h y* x y* ~k = 0;
identity stable_rely_guarantee [h d ~h = 0, h x ~h = 0, x <= z, h z ~h = 0] : h (x + d + z)* ~h = 0;
identity stable_alternate [h x ~h = x, ~h y h = y] : (x + y)* = (1 + y) (x y)* (1 + x);
identity stable_exclusion [x = h x, y = ~h y, x h = x, y ~h = y] : x y = 0;
identity stable_exclusive_runs [x = h x h, y = ~h y ~h] : (x + y)* = x* + y*;
identity stable_turns [x = h x ~h, y = ~h y h] : h (x + y)* = h (x y)* (1 + x);

// Processes by index: any number of them.

identity sum_member : a[i] <= all_a;
identity sum_others : (+ j != i : a[j]) <= all_a;
identity sum_bound [a[i] <= x] : all_a <= x;
identity sum_isotone [a[i] <= b[i]] : all_a <= all_b;
identity sum_zero [a[i] = 0] : all_a = 0;
identity sum_sequence [a[i] b[j] = 0] : all_a all_b = 0;
identity sum_right_factor [a[i] x <= y] : all_a x <= y;
identity sum_left_factor [x a[i] <= y] : x all_a <= y;
identity sum_two_factors [a[i] b[j] <= x] : all_a all_b <= x;
identity sum_mover_right [a[i] x <= x a[i]] : all_a x <= x all_a;
identity sum_mover_left [x a[i] <= a[i] x] : x all_a <= all_a x;
identity sum_movers [a[i] b[j] <= b[j] a[i]] : all_a all_b <= all_b all_a;
identity sum_movers_apart [apart : i != j => a[i] b[j] <= b[j] a[i], never : a[i] b[i] = 0] : all_a all_b <= all_b all_a
    by apart, never, sum_elim, sum_intro, cases;
identity sum_movers_equal [apart : i != j => a[i] b[j] = b[j] a[i], same : a[i] b[i] = b[i] a[i]] : all_a all_b = all_b all_a
    by apart, same, sum_elim, sum_intro, cases;
identity sum_run_moves [moves : a[i] b[j] <= b[j] a[i]] : all_a* all_b* <= all_b* all_a*
    by moves, sum_movers, commutation_lifts(x := all_b, y := all_a);
identity sum_sorted [moves : a[i] b[j] <= b[j] a[i]] : (all_a + all_b)* = all_b* all_a*
    by moves, sum_movers, bubble_sort(x := all_b, y := all_a);
identity sum_of_one_commutes [apart : i != j => a[i] b[j] <= b[j] a[i]] :
    a[i] (+ j != i : b[j]) <= (+ j != i : b[j]) a[i] by apart, sum_elim, sum_intro;
identity sum_of_one_past_run [apart : i != j => a[i] b[j] <= b[j] a[i]] :
    a[i] (+ j != i : b[j])* <= (+ j != i : b[j])* a[i] by apart, sum_elim, sum_intro, induction;
identity sum_split_one : all_a = a[i] + (+ j != i : a[j]) by sum_elim, sum_intro, separate(i);
identity sum_run_of_one : a[i]* <= all_a*;
identity sum_runs_below : a[i]* b[j]* <= (all_a + all_b)*;
identity sum_star_of_parts [a[i] <= x*] : all_a* <= x*;
identity sum_of_blocks [a[i] <= x* s[i] x*] : all_a <= x* all_s x*;

// Invariants of many processes.

identity many_invariant_step [q s[i] ~q = 0] : q all_s <= all_s q;
identity many_invariant [q s[i] ~q = 0] : q all_s* ~q = 0;
identity many_invariant_le [q s[i] <= s[i] q] : q all_s <= all_s q;
identity many_invariant_run [q s[i] <= s[i] q] : q all_s* <= all_s* q;
identity many_own_test [own : p[i] s[i] <= s[i] p[i], others : i != j => p[i] s[j] <= s[j] p[i]] :
    p[i] s[j] <= s[j] p[i] by own, others, cases;
identity many_tests_kept [kept : p[i] s[j] <= s[j] p[i]] : p[i] all_s <= all_s p[i];
identity many_product_member : all_p <= p[i] by product_elim;
identity many_product_of_bounds [q <= p[i]] : q <= all_p;
identity many_product_commutes : all_p q = q all_p;
identity many_product_idempotent : all_p all_p = all_p;
identity many_product_split : all_p <= p[i] p[j];
identity many_product_blocks [p[i] s[i] = 0] : all_p all_s = 0;
identity many_product_blocks_run [p[i] s[i] = 0] : all_p all_s* = all_p;
identity many_disabled_others [p[i] s[i] = 0] : (. i : p[i]) (+ j != i : s[j]) = 0;
identity many_complement : ~p[i] <= ~all_p;
identity many_exclusion [g[i] s[j] = 0] : g[i] all_s = 0;
identity many_exclusion_apart [i != j => g[i] s[j] = 0] : g[i] (+ j != i : s[j]) = 0;
identity many_lock_holder [apart : i != j => g[i] s[j] = 0, kept : g[i] s[i] = g[i] s[i] g[i]] :
    g[i] all_s = g[i] s[i] by apart, kept, separate(i), sum_elim, sum_intro;

// A process with its block against all others.

identity block_of_process [moves : i != j => a[i] b[j] <= b[j] a[i]] :
    a[i] (+ j != i : b[j])* s[i] <= (+ j != i : b[j])* a[i] s[i] by moves, sum_of_one_past_run;
identity block_others_past_left [moves : i != j => b[j] c[i] <= c[i] b[j]] :
    (+ j != i : b[j])* c[i] <= c[i] (+ j != i : b[j])* by moves, sum_elim, sum_intro, induction;
identity block_of_process_left [moves : i != j => b[j] c[i] <= c[i] b[j]] :
    s[i] (+ j != i : b[j])* c[i] <= s[i] c[i] (+ j != i : b[j])* by moves, block_others_past_left;
identity block_of_process_whole
    [right : i != j => a[i] b[j] <= b[j] a[i], left : i != j => b[j] c[i] <= c[i] b[j]] :
    a[i] (+ j != i : b[j])* s[i] (+ j != i : b[j])* c[i]
        <= (+ j != i : b[j])* a[i] s[i] (+ j != i : b[j])* c[i] by right, block_of_process
        <= (+ j != i : b[j])* a[i] s[i] c[i] (+ j != i : b[j])* by left, block_of_process_left;

// Sums over processes, of steps and of tests.

identity sum_interchange : (+ i : (+ j : f[i, j])) = (+ j : (+ i : f[i, j]));
identity sum_of_tests_guarded : (+ j : p[j] q) <= q;
identity sum_of_tests_least [p[i] <= q] : (+ j : p[j]) <= q;
identity sum_of_tests_isotone [p[i] <= g[i]] : (+ j : p[j]) <= (+ j : g[j]);
identity sum_of_tests_moves [p[i] x = x g[i]] : (+ j : p[j]) x = x (+ j : g[j]);
identity sum_of_tests_distributes : q (+ j : p[j]) = (+ j : q p[j]);
identity sum_of_tests_pairs : (+ i : (+ j : p[i] g[j])) = (+ j : g[j]) (+ i : p[i]);
identity sum_of_tests_starred : (+ j : p[j])* = 1;
identity sum_of_tests_complement : ~(+ j : p[j]) = (. j : ~p[j]);
identity sum_of_tests_none : ~(+ j : p[j]) p[i] = 0;
identity sum_chosen_by_test [i != j => p[i] p[j] = 0] : p[i] (+ j : p[j] a[j]) = p[i] a[i];
identity sum_disabled [p[i] a[i] = 0] : (+ j : p[j] a[j]) = 0;

// A law for one relation is one for a step of each process.

identity moves_past_all [h : a[i] x <= x a[i]] : all_a x <= x all_a by h, sum_elim, sum_intro;
identity moves_past_all_of_one [h : a[i] b[k] <= b[k] a[i]] : all_a b[i] <= b[i] all_a by h, moves_past_all(x := b[i]);
identity moves_past_all_twice [h : a[i] x <= x a[i]] : all_a x x <= x x all_a by h, moves_past_all(x := x x);

// False ones.

fails mover_run_wrong [m d <= d m] : d* m <= m d*;
fails mover_of_power [m m d <= d m m] : m d <= d m;
fails mover_of_sum [(m + u) d <= d (m + u)] : m d <= d m;
fails block_without_left [m d <= d m] : m d* x d* l <= d* m x l d*;
fails block_middle_may_wait [m d <= d m, d l <= l d] : x d* x <= d* x x d*;
fails block_swapped_movers [m d <= d m, d l <= l d] : l d* m <= d* l m d*;
fails reduce_unfinished [m d <= d m] : (m + d + x)* = (d + m* x)*;
fails reduce_start_in_block [d l <= l d] : (l + d + x)* = (d + x l*)*;
fails trace_dependent [x y = y x, y z = z y] : (x + y + z)* = x* y* z*;
fails trace_even_wrong [x y = y x] : ((x + y) (x + y))* = (x x)* (y y)*;
fails stable_interference [h x ~k = 0, k y ~k = 0] : h y* x y* ~k = 0;
fails stable_precondition_only [h x ~k = 0, h y ~h = 0] : h y* x y* ~k = 0;
fails sum_is_member : all_a <= a[i];
fails sum_pairwise [i != j => a[i] b[j] <= b[j] a[i]] : all_a all_b <= all_b all_a;
fails sum_squares : all_a all_a = (+ i : a[i] a[i]);
fails sum_star_wrong : all_a* = (+ i : a[i]*);
fails many_one_keeps [p[i] s[i] <= s[i] p[i]] : p[i] all_s <= all_s p[i];
fails many_some_blocked [p[i] s[i] = 0] : p[i] all_s = 0;
fails many_product_is_member : p[i] <= all_p;
