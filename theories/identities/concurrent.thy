// Omega algebra with tests: processes side by side.
//
// Lipton 1975, "Reduction: a method of proving properties of parallel programs"; Cohen & Lamport 1998, "Reduction in TLA"; Cohen 2000,
// "Separation and reduction"; Flanagan & Qadeer 2003, "Types for atomicity"; Stoller & Cohen 2003; Mazurkiewicz 1977 (traces); Owicki & Gries
// 1976 and Jones 1983 (interference); Godefroid 1996 (persistent sets). `x` moves to the right of `y` if `x y <= y x`. Laws with
// indices hold for any number of processes; `(+ i : a[i])` is a step of some process, `(+ j != i : a[j])` one of another.

use kleene;

level tests;

action a[i], b[i], c[i], d, e, l, m, r, s[i], u, v, w, x, y, z;
test g[i], h, k, p[i], q, t;

let a = (+ i : a[i]);
let b = (+ i : b[i]);
let s = (+ i : s[i]);
let all_p = (. i : p[i]);

// Movers and blocks: r moves to the right of the others' steps e, l to the left.

identity mover_right_past_run [r e <= e r] : r e* <= e* r;
identity mover_left_past_run [e l <= l e] : e* l <= l e*;
identity mover_guarded [r e <= e r, h e = e h] : h r e <= e h r;
identity mover_skips [r e <= e + e r] : r* e <= e r*;
identity mover_in_loop [r e <= e r] : (r + e)* = e* r*;

identity block_right_last [r e <= e r] : r e* x <= e* r x;
identity block_left_first [e l <= l e] : x e* l <= x l e*;
identity block_three [r e <= e r, e l <= l e] : r e* x e* l <= e* r x l e*;
identity block_three_around [r e <= e r, e l <= l e] : e* r e* x e* l e* = e* r x l e* ;
identity block_runs [r e <= e r, e l <= l e] : (r + e)* x (l + e)* <= e* r* x l* e*;
identity block_two_steps_each [rm : r e <= e r, um : u e <= e u, lm : e l <= l e, mm : e m <= m e] :
    r e* u e* x e* l e* m <= e* r u x l m e*
    by rm, um, lm, mm, mover_right_past_run, mover_right_past_run(r := u), mover_left_past_run, mover_left_past_run(l := m);
identity block_only_movers [r e <= e r, e l <= l e] : r e* l <= e* r l e*;
identity block_sequence [r e <= e r, u e <= e u, e l <= l e] : r e* u x e* l <= e* r u x l e*;
identity block_loop [r e <= e r, e l <= l e] : (r e* x e* l)* <= (e* r x l e*)*;
identity block_atomic_loop [r e <= e r, e l <= l e] : (e + r e* x e* l)* <= (e + r x l)*;
identity block_conditional [r e <= e r, h e = e h, e l <= l e] :
    h r e* x e* l + ~h e* l <= e* (h r x l + ~h l) e*;
identity block_acquire_release [r e <= e r, e l <= l e, e x = x e] : r e* x e* x e* l <= e* r x x l e*;
identity block_no_others_inside [r e = 0, e l <= l e] : r e* x e* l <= r x l e*;
identity block_lock [d e = d h e, h e = 0] : d e* = d;
identity block_both_movers [e x = x e, e y = y e] : x e* y e* = x y e*;
identity block_iterated_body [r e <= e r, e l <= l e] : (r + e)* (x + 1) (l + e)* <= e* r* (x + 1) l* e*;

// Reduction of a whole system to blocks: from runs of steps to runs of blocks (Cohen & Lamport; Cohen).

identity reduce_pushed_out [q r = 0, r e <= e r] : q (r + e)* = q (1 + e e* r*);
identity reduce_to_ends [r e <= e r, r q = 0] : (r + e)* q = e* q;
identity reduce_left_to_starts [e l <= l e, q l = 0] : q (e + l)* <= q (1 + e (e + l)*);
identity reduce_left_from_start [e l <= l e, q l = 0] : q (e + l)* = q e*;
identity reduce_both_sorted [e l <= l e, r l <= l r] : (r + e + l)* <= l* (r + e)*;
identity reduce_both_ends [rm : r e <= e r, rq : r q = 0, tr : t r = 0, lm : e l <= l e, tl : t l = 0, rl : r l <= l r] :
    t (r + e + l)* q
        <= t l* (r + e)* q by lm, rl, reduce_both_sorted
        <= t e* q by rm, rq, tl, reduce_to_ends, no_sequel_right(x := t, y := l)
        <= t (r + e + l)* q;
identity reduce_right_past_block [rm : r e <= e r] : r* (e + r* x) <= (e + r* x) r*
    by rm, commutation_lifts(x := e, y := r), induction;
identity reduce_right_past_blocks [rm : r e <= e r] : r* (e + r* x)* <= (e + r* x)* r*
    by rm, reduce_right_past_block, simulation_right(x := e + r* x, y := r*, z := e + r* x);
identity reduce_right_blocks [rm : r e <= e r, rq : r q = 0] : (r + e + x)* q = (e + r* x)* q
    by rm, rq, reduce_right_past_blocks, induction;
identity reduce_left_past_block [lm : e l <= l e] : (e + x l*) l <= l* (e + x l*) by lm, induction;
identity reduce_left_past_blocks [lm : e l <= l e] : (e + x l*)* l* <= l* (e + x l*)*
    by lm, reduce_left_past_block, commutation_lifts_weak(x := l, y := e + x l*);
identity reduce_left_blocks [lm : e l <= l e, tl : t l = 0] : t (l + e + x)* = t (e + x l*)*
    by lm, tl, reduce_left_past_blocks, induction;
identity reduce_blocks_to_end [lm : e l <= l e, tl : t l = 0] : t (l + e + x)* y = t (e + x l*)* y
    by lm, tl, reduce_left_blocks;
identity reduce_stuttering [e l <= l e + e] : e l* <= l* e;
identity reduce_with_failure [e x <= x e + w, w e <= w] : e* x <= x e* + e* w;
identity reduce_invisible [q l = q l q, l q = q l, e l <= l e] : q e* l <= l q e* + q l e*;

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

identity stable_in_block [h e <= e h, h x <= x k] : h e* x <= e* x k;
identity stable_assertions [h e <= e h, k e <= e k, h x <= x k] : h e* x e* <= e* x e* k;
identity stable_parallel_composition
    [h x <= x h, h y <= y h] : h (x + y)* <= (x + y)* h;
identity stable_owicki_gries
    [h x ~k = 0, h y ~h = 0, k y ~k = 0] : h y* x y* ~k = 0;
identity stable_rely_guarantee [h e ~h = 0, h x ~h = 0, x <= z, h z ~h = 0] : h (x + e + z)* ~h = 0;
identity stable_alternate [h x ~h = x, ~h y h = y] : (x + y)* = (1 + y) (x y)* (1 + x);
identity stable_exclusion [x = h x, y = ~h y, x h = x, y ~h = y] : x y = 0;
identity stable_exclusive_runs [x = h x h, y = ~h y ~h] : (x + y)* = x* + y*;
identity stable_turns [x = h x ~h, y = ~h y h] : h (x + y)* = h (x y)* (1 + x);

// Processes by index: any number of them.

identity sum_member : a[i] <= a;
identity sum_others : (+ j != i : a[j]) <= a;
identity sum_bound [a[i] <= x] : a <= x;
identity sum_isotone [a[i] <= b[i]] : a <= b;
identity sum_zero [a[i] = 0] : a = 0;
identity sum_sequence [a[i] b[j] = 0] : a b = 0;
identity sum_right_factor [a[i] x <= y] : a x <= y;
identity sum_left_factor [x a[i] <= y] : x a <= y;
identity sum_two_factors [a[i] b[j] <= x] : a b <= x;
identity sum_mover_right [a[i] x <= x a[i]] : a x <= x a;
identity sum_mover_left [x a[i] <= a[i] x] : x a <= a x;
identity sum_movers [a[i] b[j] <= b[j] a[i]] : a b <= b a;
identity sum_movers_apart [apart : i != j => a[i] b[j] <= b[j] a[i], never : a[i] b[i] = 0] : a b <= b a
    by apart, never, sum_elim, sum_intro, cases;
identity sum_movers_equal [apart : i != j => a[i] b[j] = b[j] a[i], same : a[i] b[i] = b[i] a[i]] : a b = b a
    by apart, same, sum_elim, sum_intro, cases;
identity sum_run_moves [moves : a[i] b[j] <= b[j] a[i]] : a* b* <= b* a*
    by moves, sum_movers, commutation_lifts(x := b, y := a);
identity sum_sorted [moves : a[i] b[j] <= b[j] a[i]] : (a + b)* = b* a*
    by moves, sum_movers, bubble_sort(x := b, y := a);
identity sum_of_one_commutes [apart : i != j => a[i] b[j] <= b[j] a[i]] :
    a[i] (+ j != i : b[j]) <= (+ j != i : b[j]) a[i] by apart, sum_elim, sum_intro;
identity sum_of_one_past_run [apart : i != j => a[i] b[j] <= b[j] a[i]] :
    a[i] (+ j != i : b[j])* <= (+ j != i : b[j])* a[i] by apart, sum_elim, sum_intro, induction;
identity sum_split_one : a = a[i] + (+ j != i : a[j]) by sum_elim, sum_intro, separate(i);
identity sum_run_of_one : a[i]* <= a*;
identity sum_runs_below : a[i]* b[j]* <= (a + b)*;
identity sum_star_of_parts [a[i] <= x*] : a* <= x*;
identity sum_of_blocks [a[i] <= x* s[i] x*] : a <= x* s x*;

// Invariants of many processes.

identity many_invariant_step [q s[i] ~q = 0] : q s <= s q;
identity many_invariant [kept : q s[i] ~q = 0] : q s* ~q = 0 by kept, many_invariant_step, induction;
identity many_invariant_le [q s[i] <= s[i] q] : q s <= s q;
identity many_invariant_run [q s[i] <= s[i] q] : q s* <= s* q;
identity many_own_test [own : p[i] s[i] <= s[i] p[i], others : i != j => p[i] s[j] <= s[j] p[i]] :
    p[i] s[j] <= s[j] p[i] by own, others, cases;
identity many_tests_kept [kept : p[i] s[j] <= s[j] p[i]] : p[i] s <= s p[i];
identity many_product_member : all_p <= p[i] by product_elim;
identity many_product_of_bounds [q <= p[i]] : q <= all_p;
identity many_product_commutes : all_p q = q all_p;
identity many_product_idempotent : all_p all_p = all_p;
identity many_product_split : all_p <= p[i] p[j];
identity many_product_blocks [p[i] s[i] = 0] : all_p s = 0;
identity many_product_blocks_run [p[i] s[i] = 0] : all_p s* = all_p;
identity many_disabled_others [p[i] s[i] = 0] : (. i : p[i]) (+ j != i : s[j]) = 0;
identity many_complement : ~p[i] <= ~all_p;
identity many_exclusion [g[i] s[j] = 0] : g[i] s = 0;
identity many_exclusion_apart [i != j => g[i] s[j] = 0] : g[i] (+ j != i : s[j]) = 0;
identity many_lock_holder [apart : i != j => g[i] s[j] = 0, kept : g[i] s[i] = g[i] s[i] g[i]] :
    g[i] s = g[i] s[i] by apart, kept, separate(i), sum_elim, sum_intro;

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

// False ones.

fails mover_run_wrong [r e <= e r] : e* r <= r e*;
fails mover_of_power [r r e <= e r r] : r e <= e r;
fails mover_of_sum [(r + u) e <= e (r + u)] : r e <= e r;
fails block_without_left [r e <= e r] : r e* x e* l <= e* r x l e*;
fails block_middle_may_wait [r e <= e r, e l <= l e] : x e* x <= e* x x e*;
fails block_swapped_movers [r e <= e r, e l <= l e] : l e* r <= e* l r e*;
fails reduce_unfinished [r e <= e r] : (r + e + x)* = (e + r* x)*;
fails reduce_start_in_block [e l <= l e] : (l + e + x)* = (e + x l*)*;
fails trace_dependent [x y = y x, y z = z y] : (x + y + z)* = x* y* z*;
fails trace_even_wrong [x y = y x] : ((x + y) (x + y))* = (x x)* (y y)*;
fails stable_interference [h x ~k = 0, k y ~k = 0] : h y* x y* ~k = 0;
fails stable_precondition_only [h x ~k = 0, h y ~h = 0] : h y* x y* ~k = 0;
fails sum_is_member : a <= a[i];
fails sum_pairwise [i != j => a[i] b[j] <= b[j] a[i]] : a b <= b a;
fails sum_squares : a a = (+ i : a[i] a[i]);
fails sum_star_wrong : a* = (+ i : a[i]*);
fails many_one_keeps [p[i] s[i] <= s[i] p[i]] : p[i] s <= s p[i];
fails many_some_blocked [p[i] s[i] = 0] : p[i] s = 0;
fails many_product_is_member : p[i] <= all_p;
