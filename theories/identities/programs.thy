// Kleene algebra with tests: transformations of programs.
//
// Kozen 1997, "Kleene algebra with tests" (the normal form theorem and its steps); Kozen & Patron 2000, "Certification of compiler
// optimizations using Kleene algebra with tests"; Angus & Kozen 2001, "Kleene algebra with tests and program schematology";
// Cohen 1994 and 2000; Barth & Kozen 2002 on loops; Boehm & Jacopini, in Kozen & Tseng 2008. `if p then x else y` is `p x + ~p y`,
// `while p do x` is `(p x)* ~p`; tests.thy has the first laws.

use tests;

level tests;

action a, b, c, d, x, y, z;
test e, f, p, q, r, s;

// Branches.

identity branch_nested_same : p (q x + ~q y) + ~p y = p q x + ~(p q) y;
identity branch_nested_other : p x + ~p (q x + ~q y) = (p + q) x + ~(p + q) y;
identity branch_exchange :
    p (q a + ~q b) + ~p (q c + ~q d) = q (p a + ~p c) + ~q (p b + ~p d);
identity branch_split_ends [z p = p z] : (p x + ~p y) p z = p x p z + ~p y z p;
identity branch_of_branches : p (p x + ~p y) + ~p (p z + ~p a) = p x + ~p a;
identity branch_after_same_test [p x = p x p] : p x (p y + ~p z) = p x y;
identity branch_threaded [p x = p x q, ~p y = ~p y ~q] : (p x + ~p y) (q a + ~q b) = p x a + ~p y b;
identity branch_correlated [p x = x p, p y = y p] :
    (p x + ~p y) (p a + ~p b) = p x a + ~p y b;
identity branch_guard_known [p <= q] : p (q x + ~q y) = p x;
identity branch_guard_implied [p <= q] : q (p x + ~p y) + ~q z = p x + ~p (q y + ~q z);
identity branch_idle [p x = p] : p x + ~p = 1;
identity branch_three_way [p q = 0] : p x + ~p (q y + ~q z) = q y + ~q (p x + ~p z);
identity branch_tests_only : p q + ~p r = (~p + q) (p + r);

// Loops.

identity loop_unrolled_three_times : (p x)* ~p = (p x (p x (p x + ~p) + ~p))* ~p;
identity loop_peeled : p x (p x)* ~p + ~p = ~p + p x ~p + p x p x (p x)* ~p;
identity loop_inverted : p x (p x)* ~p = p (x p)* x ~p;
identity loop_inverted_guard : (p x)* ~p = ~p + p (x p)* x ~p;
identity loop_repeat_until : x (~p x)* p = (x ~p)* x p;
identity loop_repeat_as_while : x (~p x)* p = x p + x ~p x (~p x)* p;
identity loop_of_loop : (p (p x)* ~p)* ~p = (p x)* ~p;
identity loop_denested : (p (q x)* ~q y)* ~p = ~p + p (q x + ~q y p)* ~q y ~p;
identity loop_nested_as_one :
    (p x (q y)* ~q)* ~p = ~p + p x (q y + ~q p x)* ~q ~p;
identity loop_two_guards : (p q x)* ~(p q) = (p q x)* ~p + (p q x)* ~q;
identity loop_guard_split : (p x)* ~p = (p q x + p ~q x)* ~p;
identity loop_cases_alternate : (p x + ~p y)* = (p x)* (~p y (p x)*)*;
identity loop_sequence_of_same : (p x)* ~p (p y)* ~p = (p x)* ~p;
identity loop_weaker_then_stronger [p <= q] : (q x)* ~q (p x)* ~p = (q x)* ~q;
identity loop_stronger_then_weaker [p <= q] : (p x)* ~p (q x)* ~q = (q x)* ~q;
identity loop_body_starred : (p x (p x)*)* ~p = (p x)* ~p;
identity loop_body_branch : (p (q x + ~q y))* ~p = ((p q x)* (p ~q y)*)* ~p;
identity loop_branch_unswitched [q x = x q, q y = y q] :
    (p (q x + ~q y))* ~p = q (p x)* ~p + ~q (p y)* ~p;
identity loop_skips_after_exit [~p x = ~p] : (p x)* ~p = x* ~p;
identity loop_idempotent_body [p x p x = p x p] : (p x)* ~p = ~p + p x ~p;
identity loop_once [p x p = 0] : (p x)* ~p = ~p + p x;
identity loop_twice_at_most [p x p x p = 0] : (p x)* ~p = ~p + p x ~p + p x p x;
identity loop_for_ever [p x ~p = 0] : (p x)* ~p = ~p;
identity loop_jump [p x = p x q] : (p x)* ~p = ~p + p x (q p x)* ~p;
identity loop_invariant_asserted [p q x = p q x p] : p (q x)* ~q = p (q x p)* ~q;
identity loop_invariant_hoisted [q x = x q] : q (p x)* ~p = q (p q x)* ~p;
identity loop_early_exit : (p (q + ~q x))* ~p = (p ~q x)* ~p;
identity loop_search : (p ~q x)* ~(p ~q) q = (p ~q x)* q;

// Moving what is independent.

identity move_past_branch [p z = z p, x z = z x, y z = z y] : (p x + ~p y) z = z (p x + ~p y);
identity move_out_of_body [z z = z, z x = x z, z p = p z] : p z x z = z p x;
identity move_out_of_loop [once : z z = z, body : z x = x z, guard : z p = p z] : (p z x)* ~p z = z (p x)* ~p
    by once, body, guard, preserved_and_reflected(x := z), move_out_of_body, simulation_equal(x := p z x, y := z, z := p x);
identity move_out_of_loop_once [z z = z, z x = x z, p x z = p x] : z (p x)* = z (p z x)*;
identity move_common_subexpression [a = a p, p x = p y] : a x = a y;
identity move_copy_propagated [a = a p, p x = p x p, p b = p c] : a x b = a x c;
identity move_dead_assignment [a b = b] : x a b y = x b y;
identity move_dead_before_loop [a (p x)* = (p x)*] : a (p x)* ~p = (p x)* ~p;
identity move_redundant_test [a = a p] : a (p x + ~p y) = a x;
identity move_redundant_loop_test [x = x p] : p (p x)* ~p <= 0;
identity move_loads_once [a a = a, a x = x a] : (a x)* = 1 + a (x a)* x;
identity move_array_check [p x = p x p, p <= q] : p (q x + ~q y)* = p x*;
identity move_test_through_assignment [x p = q x] : x (p y + ~p z) = q x y + ~q x z;
identity move_test_complement [x p = q x] : x ~p = ~q x;
identity move_body_through_assignment [x p = q x, x y = z x] : x p y = q z x;
identity move_loop_through_assignment [guard : x p = q x, body : x y = z x] : x (p y)* ~p = (q z)* ~q x
    by guard, body, move_test_complement, move_body_through_assignment, simulation_equal(x := q z, y := x, z := p y);
identity move_program_translated [x a = c x, x p = q x, x b = d x] :
    x (p a + ~p b) = (q c + ~q d) x;
identity move_abstraction_step [x a <= c x, x p <= q x] : x p a <= q c x;
identity move_abstraction [body : x a <= c x, guard : x p <= q x, exit : x ~p <= ~q x] :
    x (p a)* ~p <= (q c)* ~q x
    by body, guard, exit, move_abstraction_step, simulation_right(x := q c, y := x, z := p a);

// A relation in the middle of a loop, no hint given (Kozen 1994, "On Kleene algebras and closed semirings", section 5; Back & von
// Wright 1999 on data refinement of loops).

identity pass_loop_simulated [z p = q z, z x <= y z] : z (p x)* ~p <= (q y)* ~q z;
identity pass_loop_equal [x z = z y, p z = z q] : (p x)* ~p z = z (q y)* ~q;
identity pass_loop_split [p y = y p, x y = y x] : (p x y)* ~p <= (p x)* y* ~p;
identity pass_loop_hoisted [z x = x z, p z = z p, z z = z] : z (p x z)* ~p = z (p x)* ~p;
identity pass_loop_sunk [x z = z x, z p = p z, z z = z] : z (p x)* ~p <= (p z x)* ~p z;
identity pass_loop_first [z x = x z, p z = z p, z z = z] : (p z x)* ~p <= (1 + z) (p x)* ~p;
identity pass_body_rewritten [x y = y] : z (a c y + b x y)* d = z (a c y + b y)* d;
identity pass_body_named [x y = d] : z a (a x y)* b = z a (a d)* b;

// The steps of the normal form theorem: with one loop. x keeps p, as assignments to other variables do.

identity normal_branch [q x = x q, q y = y q, p x = x p, p y = y p] :
    p (q x)* ~q + ~p (r y)* ~r = (p q x + ~p r y)* (p ~q + ~p ~r);
identity normal_loops_in_sequence :
    (p x)* ~p (q y)* ~q = (p x)* (~p q y)* ~p ~q + (p x)* ~p q y (q y)* ~q;
identity normal_loop_entry : (p x (q y)* ~q)* ~p = ~p + p x (q y + p ~q x)* ~q ~p;
identity normal_postcomputation [y p = p y] : (p x)* ~p y = ~p y + p (p x (~p y + p))* ~p;
identity normal_composition [y p = p y] :
    (p x)* ~p (q y)* ~q = ~p (q y)* ~q + p (p x (~p (q y)* ~q + p))* ~p;
identity normal_goto_two_labels :
    (p x + ~p q y)* ~p ~q = ((p + q) (p x + ~p y))* ~(p + q);
identity normal_state_machine :
    (x + y (q z)* ~q a)* = x* (y (q z)* ~q a x*)*;

// Loop fusion, fission, pipelines.

identity fuse_same_guard [p x = p x p, p y = p y p, y x = x y] :
    p (x y)* <= p x* y*;
identity fuse_commuting [x y = y x] : (x y)* <= (x + y)*;
identity fuse_exit_past_guarded [p y = y p] : ~p q y = q y ~p;
identity fuse_guarded_commute [p y = y p, x y = y x, q x = x q] : p x q y = q y p x;
identity fuse_independent_loops [left : p y = y p, both : x y = y x, right : q x = x q] :
    (p x)* ~p (q y)* ~q
        = (p x)* (q y)* ~p ~q by left, fuse_exit_past_guarded, commutes(x := q y, y := ~p)
        = (q y)* (p x)* ~p ~q by left, both, right, fuse_guarded_commute, stars_commute(x := p x, y := q y)
        = (q y)* ~q (p x)* ~p
          by right, fuse_exit_past_guarded(p := q, q := p, y := x), commutes(x := p x, y := ~q);
identity fuse_into_one [left : p y = y p, both : x y = y x, right : q x = x q] :
    (p x)* ~p (q y)* ~q
        = (p x)* (q y)* ~p ~q by left, fuse_exit_past_guarded, commutes(x := q y, y := ~p)
        = (p x + q y)* ~p ~q by left, both, right, fuse_guarded_commute, bubble_sort(x := p x, y := q y);
identity fuse_pipeline [y x <= x y] : (x y)* <= x* y*;

// False ones.

fails branch_exchanged_wrong : p (q a + ~q b) = q (p a + ~p b);
fails branch_correlated_wrong : (p x + ~p y) (p a + ~p b) = p x a + ~p y b;
fails loop_not_repeat : x (p x)* ~p = (p x)* ~p;
fails loop_guards_swap : (p (q x)* ~q)* ~p = (q (p x)* ~p)* ~q;
fails loop_union_of_guards : ((p + q) x)* ~(p + q) = (p x)* ~p (q x)* ~q;
fails loop_guard_weakened [p <= q] : (p x)* ~p = (q x)* ~q;
fails loop_branch_unswitched_wrong : (p (q x + ~q y))* ~p = q (p x)* ~p + ~q (p y)* ~p;
fails loop_distributes : (p (x + y))* ~p = (p x)* ~p + (p y)* ~p;
fails loop_body_sequence : (p x y)* ~p = (p x)* ~p (p y)* ~p;
fails loop_skip_changes [~p x = ~p x ~p] : (p x)* ~p = x* ~p;
fails move_past_branch_wrong [x z = z x, y z = z y] : (p x + ~p y) z = z (p x + ~p y);
fails move_out_unsafe [z x = x z] : (p z x)* ~p z = z (p x)* ~p;
fails move_dead_wrong [a b = b] : b a = b;
fails fuse_dependent [x y = y x] : (p x)* ~p (q y)* ~q = (p x + q y)* ~p ~q;
fails fuse_product : (x y)* = x* y*;
fails normal_branch_wrong [p x = x p, p y = y p] :
    p (q x)* ~q + ~p (r y)* ~r = (q x + r y)* (p ~q + ~p ~r);
