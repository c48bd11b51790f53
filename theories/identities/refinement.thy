// Omega algebra with tests: total correctness, strong iteration, loops of action systems.
//
// Back & von Wright 1998, "Refinement Calculus", and 1999, "Reasoning algebraically about loops"; von Wright 2004, "Towards a refinement
// algebra"; Back & Kurki-Suonio 1983 (action systems); Cohen 2000, "Separation and reduction"; Solin & von Wright 2009 on enabledness.
// Strong iteration of x before y is `x # y = x^w + x* y`: for ever x, or y after some x. `(p x) # ~p` is a loop with its infinite runs.
// Here a run that does not end is nobody's refinement target: `x <= y` says that x does nothing but what y may do.

use tests;
use top;
use kleene;
use omega;

level omega;

action a, b, c, m, n, u, v, w, x, y, z;
test e, f, i, p, q, r, t;

// Strong iteration.

identity iterate_unfold : x # 1 = 1 + x (x # 1);
identity iterate_unfold_twice : x # y = y + x y + x x (x # y);
identity iterate_sum_of_parts : x # y = (x # 0) + x* y;
identity iterate_of_top : T # y = T;
identity iterate_above : y <= x # y;
identity iterate_step : x y <= x # y;
identity iterate_star : x* (x # y) = x # y;
identity iterate_on_star : x # (x* y) = x # y;
identity iterate_sum_after : x # (y + z) = (x # y) + x* z;
identity iterate_isotone_body [x <= y] : x # z <= y # z;
identity iterate_isotone_end [y <= z] : x # y <= x # z;
identity iterate_then [small : y z <= v] : (x # y) z <= x # v;
identity iterate_absorbs [y z <= y] : (x # y) z <= x # y;
identity iterate_ends [x^w = 0] : x # 1 = x*;
identity iterate_ends_equal [ends : x^w = 0] : (x # y) z = x # (y z);
identity iterate_of_test : p # y = p T + y;
identity iterate_of_skip [1 <= x] : x # y = T;
identity iterate_leapfrog : x (y x # z) = (x y) # (x z);
identity iterate_rolling : (x y) # z = z + x (y x # (y z));
identity iterate_square : (x x) # ((1 + x) y) = x # y;
identity iterate_cube : (x x x) # ((1 + x + x x) y) = x # y;
identity iterate_plus : (x x*) # y = x # y;
identity iterate_sum : (x + y) # z = x # (y ((x + y) # z) + z);
identity iterate_decomposed : (x + y) # z = (x* y) # (x # z);
identity iterate_decomposed_other : (x + y) # z = (y* x) # (y # z);
identity iterate_greatest [post : y <= x y + z] : y <= x # z by post, coinduction;
identity iterate_greatest_one [post : y <= x y + 1] : y <= x # 1 by post, coinduction;
identity iterate_unique [ends : x^w = 0, same : y = x y + z] : y = x # z by ends, same, arden;
identity iterate_commutes [moves : z x <= y z, last : z u <= v] : z (x # u) <= y # v
    by moves, last, omega_simulation, simulation_right(x := y, y := z, z := x);
identity iterate_of_iteration : x # (x # (x # y)) = x # y;
identity iterate_shunted [least : y <= z, back : x z <= z, ends : x^w = 0] : x # y <= z by least, back, ends, induction;

// Loops, with runs that do not end.

identity total_loop_unfold : (p x) # ~p = p x ((p x) # ~p) + ~p;
identity total_loop_exit : ~p ((p x) # ~p) = ~p;
identity total_loop_entered : p ((p x) # ~p) = p x ((p x) # ~p);
identity total_loop_twice : (p x) # (~p ((p x) # ~p)) = (p x) # ~p;
identity total_loop_unrolled : (p x) # ~p = (p x (p x + ~p)) # ~p;
identity total_loop_stronger [small : p <= q] : (p x) # (~p ((q x) # ~q)) = (q x) # ~q;
identity total_loop_weaker [small : q <= p] : ((p x) # ~p) ((q x) # ~q) <= (p x) # ~p;
identity total_loop_never [dead : x ~p = 0] : (p x) # ~p = (p x)^w + ~p;
identity total_loop_once [p x p = 0] : (p x) # ~p = ~p + p x;
identity total_loop_refined [x <= y] : (p x) # ~p <= (p y) # ~p;
identity total_loop_rotated : (p x) # (~p) = ~p + p ((x p) # (x ~p));
identity total_loop_guard_split : (p x) # ~p = (p q x + p ~q x) # ~p;
identity total_loop_nested_guards : (p q x) # ~(p q) = (p q x) # (~p + ~q);
identity total_repeat : x ((~p x) # p) = (x ~p) # (x p);

// Total correctness: `p x^w = 0` and `p x* ~q = 0` in one, `p (x # ~q) = 0`.

identity both_parts [total : p (x # ~q) = 0] : p x* ~q = 0;
identity both_parts_ends [total : p (x # ~q) = 0] : p x^w = 0;
identity both_parts_back [p x^w = 0, p x* ~q = 0] : p (x # ~q) = 0;
identity both_invariant [kept : p x ~p = 0, ends : p x^w = 0] : p (x # ~p) = 0 by kept, ends, hoare_iteration;
identity both_while [kept : p e x ~p = 0, ends : (e x)^w = 0] : p ((e x) # (~e ~(p ~e))) = 0
    by kept, ends;
identity both_consequence [total : p (x # ~q) = 0, r <= p, q <= t] : r (x # ~t) = 0;
identity both_conjunction [p (x # ~q) = 0, p (x # ~r) = 0] : p (x # ~(q r)) = 0;
identity both_smaller [total : p (x # ~q) = 0, small : y <= x] : p (y # ~q) = 0
    by total, small, iterate_isotone_body(x := y, y := x, z := ~q);
identity both_variant [kept : p x <= x p, variant : p x <= y p, ends : y^w = 0] : p x^w = 0
    by variant, ends, omega_simulation(z := p);
identity both_sequence [p (x # ~q) = 0, q (y # ~r) = 0] : p (x # (q (y # ~r))) = 0;

// Action systems: a loop of actions until none is enabled, f where none is.

identity system_unfold : (a + b) # f = a ((a + b) # f) + b ((a + b) # f) + f;
identity system_more_actions : a # f <= (a + b) # f;
identity system_action_refined [a <= b] : (a + c) # f <= (b + c) # f;
identity system_split : (a + b) # f = (a* b) # (a # f);
identity system_disabled [f a = 0, f b = 0] : f ((a + b) # f) = f;
identity system_last [ends : a^w = 0] : (a # f) f = a # f;
identity system_stutter_hidden [ends : a^w = 0] : a # f = a* f;
identity system_data_refined [start : n <= u m, step : m a <= b m, last : m f <= v] : n (a # f) <= u (b # v)
    by start, step, last, omega_simulation(z := m, x := a, y := b),
       simulation_right(x := b, y := m, z := a);
identity system_stuttering_refined
    [start : n <= u m, step : m a <= b m, skip : m c <= m, last : m f <= v] :
    n c* a* f <= u b* v;
identity system_hidden_skipped [m c <= m] : m c* <= m;
identity system_hidden_runs [step : m a <= b m, skip : m c <= m] : m (c* a)* c* <= b* m
    by step, skip, system_hidden_skipped, induction;
identity system_hidden_refined
    [start : n <= u m, step : m a <= b m, skip : m c <= m, last : m f <= v] :
    n (c* a)* c* f <= u b* v by start, step, skip, last, system_hidden_runs;
identity system_phases [never : b a = 0] : (a + b)* f = a* b* f;
identity system_phases_total [never : b a = 0] : (a + b) # f = a # (b # f)
    by never, omega_sum_refine(x := a, y := b), eq2(x := a, y := b);
identity system_reactive [moves : b a <= a b, ends : a^w = 0] : (a + b) # f = a* (b # f)
    by moves, ends, omega_sum_refine(x := a, y := b), eq2(x := a, y := b);
identity system_atomic [moves : b a <= a b] : (a b) # f <= (a + b) # f;

// Assertions and coercions: `p` goes on where p holds and else stops; `p + ~p T` may do anything where p fails.

identity assert_sequence : (p + ~p T) (q + ~q T) = p q + p ~q T + ~p T;
identity assert_once : (p + ~p T) (p + ~p T) = p + ~p T;
identity assert_weakened [q <= p] : p + ~p T <= q + ~q T;
identity assert_above_skip : 1 <= p + ~p T;
identity assert_galois [x <= (p + ~p T) y] : p x <= p y;
identity assert_galois_back [p x <= y] : x <= p y + ~p T;
identity assert_triple [p x ~q = 0] : (p + ~p T) x <= (p + ~p T) x (q + ~q T);
identity assert_established [p x ~q = 0] : p x (q + ~q T) = p x;
identity assert_loop [p x ~p = 0] : p (x (p + ~p T))* = p x*;

// False ones.

fails iterate_is_star : x # y = x* y;
fails iterate_then_equal : (x # y) z = x # (y z);
fails iterate_sum_wrong : (x + y) # z = x # (y # z);
fails iterate_body_sum : (x + y) # z = (x # z) + (y # z);
fails iterate_leapfrog_wrong : (x y) # z = (y x) # z;
fails iterate_least [y = x y + z] : x # z <= y;
fails iterate_simulation_back [y z <= z x] : y # z <= z (x # 1);
fails total_loop_outcome : (p x) # ~p = ((p x) # ~p) ~p;
fails total_loop_stronger_wrong [p <= q] : (p x) # ~p = (q x) # ~q;
fails total_loop_partial : (p x) # ~p = (p x)* ~p;
fails both_without_ends [p x ~p = 0] : p (x # ~p) = 0;
fails both_without_invariant [x^w = 0] : p (x # ~p) = 0;
fails system_fewer_actions : (a + b) # f <= a # f;
fails system_phases_wrong [a b = 0] : (a + b)* f = a* b* f;
fails system_reactive_wrong [b a <= a b] : (a + b) # f = a* (b # f);
fails system_fair_wrong : (a* b)^w = (a + b)^w;
fails system_atomic_wrong : (a + b) # f <= (a b) # f;
fails assert_strengthened [p <= q] : p + ~p T <= q + ~q T;
fails assert_changes : x (p + ~p T) = x;
fails assert_is_guard : p + ~p T = p;
