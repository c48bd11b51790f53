// Hoare logic: rules as Horn clauses.
//
// Kozen 2000, "On Hoare logic and Kleene algebra with tests"; Hoare 1969; Apt, de Boer & Olderog 2009 (auxiliary rules); Moeller & Struth
// 2006 (weakest liberal preconditions by inequalities); Nipkow, on verification conditions; Aboul-Hosn & Kozen 2006 (KAT-ML). A triple
// {p} x {q} is `p x ~q = 0`, or `p x <= x q`; tests.thy has the basic rules in the first form.

use tests;

level tests;

action a, b, c, x, y, z;
test e, f, i, j, k, p, q, r, s, t;

// Triples as inequalities: each rule once more.

identity hoare_le_skip : p 1 <= 1 p;
identity hoare_le_sequence [p x <= x q, q y <= y r] : p x y <= x y r;
identity hoare_le_choice [p x <= x q, p y <= y q] : p (x + y) <= (x + y) q;
identity hoare_le_conditional [p e x <= x q, p ~e y <= y q] : p (e x + ~e y) <= (e x + ~e y) q;
identity hoare_le_while [p e x <= x p] : p (e x)* ~e <= (e x)* ~e p;
identity hoare_le_strengthen [q x <= x r, p <= q] : p x <= x r;
identity hoare_le_weaken [p x <= x q, q <= r] : p x <= x r;
identity hoare_le_conjunction [p x <= x q, r x <= x s] : p r x <= x q s;
identity hoare_le_disjunction [p x <= x q, r x <= x s] : (p + r) x <= x (q + s);
identity hoare_le_negative [p x <= x ~p, ~p y <= y p] : p x y <= x y p;

// Between the forms.

identity form_to_equation [p x <= x q] : p x ~q = 0;
identity form_to_preserving [p x <= x q] : p x = p x q;
identity form_backwards [~p x = ~p x ~q] : x q <= p x;
identity form_of_true : x ~1 = 0;
identity form_of_false : 0 x ~q = 0;
identity form_no_outcome [p x 1 = 0] : p x ~q = 0;
identity form_test_program [p e ~q = 0] : p e <= q;
identity form_test_program_back [p e <= q] : p e ~q = 0;

// Rules for constructs.

identity rule_if_then [p e x ~q = 0, p ~e <= q] : p (e x + ~e) ~q = 0;
identity rule_if_else_skip [p ~e x ~q = 0, p e <= q] : p (e + ~e x) ~q = 0;
identity rule_if_chain [p e x ~q = 0, p ~e f y ~q = 0, p ~e ~f z ~q = 0] :
    p (e x + ~e (f y + ~f z)) ~q = 0;
identity rule_guarded_choice [p e x ~q = 0, p f y ~q = 0] : p (e x + f y) ~q = 0;
identity rule_guarded_loop [p e x ~p = 0, p f y ~p = 0] :
    p (e x + f y)* ~(e + f) ~(p ~e ~f) = 0;
identity rule_while_from [p <= i, i e x ~i = 0, i ~e <= q] : p (e x)* ~e ~q = 0;
identity rule_while_body_asserts [p e x ~q = 0, q y ~p = 0] : p (e x y)* ~e ~(p ~e) = 0;
identity rule_while_two_invariants [i e x ~i = 0, i j e x ~j = 0] : i j (e x)* ~e ~(i j ~e) = 0;
identity rule_while_nested [i e x ~j = 0, j f y ~j = 0, j ~f z ~i = 0] :
    i (e x (f y)* ~f z)* ~e ~(i ~e) = 0;
identity rule_while_with_break [i e x ~i = 0, i ~e <= q, i e y ~q = 0] :
    i (e x)* (~e + e y) ~q = 0;
identity rule_repeat [p x ~q = 0, q ~e <= p] : p x (~e x)* e ~(q e) = 0;
identity rule_repeat_invariant [p x ~p = 0] : p x (~e x)* e ~(p e) = 0;
identity rule_do_times_two [p x ~q = 0, q x ~p = 0] : p (x x)* ~p = 0;
identity rule_do_times_odd [p x ~q = 0, q x ~p = 0] : p x (x x)* ~q = 0;
identity rule_alternating [p x ~q = 0, q y ~p = 0] : p (x y)* ~p = 0;
identity rule_sequence_of_three [p x ~q = 0, q y ~r = 0, r z ~s = 0] : p x y z ~s = 0;
identity rule_sequence_of_four [p a ~q = 0, q b ~r = 0, r c ~s = 0, s x ~t = 0] : p a b c x ~t = 0;
identity rule_assert_before [p <= e, p e x ~q = 0] : p x ~q = 0;
identity rule_unreachable [p x ~q = 0, q y = 0] : p x y = 0;
identity rule_dead_loop [p <= ~e] : p (e x)* ~e = p;
identity rule_stops_only_outside [p x ~q = 0] : p x (e y)* ~e e = 0;

// Auxiliary rules.

identity rule_conjunction_of_two [p x ~q = 0, r x ~s = 0] : p r x ~(q s) = 0;
identity rule_disjunction_of_two [p x ~q = 0, r x ~s = 0] : (p + r) x ~(q + s) = 0;
identity rule_constancy [p x ~q = 0, r x = x r] : p r x ~(q r) = 0;
identity rule_invariance [p x ~q = 0, r x ~r = 0] : p r x ~(q r) = 0;
identity rule_case [p e x ~q = 0, p ~e x ~q = 0] : p x ~q = 0;
identity rule_case_after [p x ~(q + e) = 0, p x ~(q + ~e) = 0] : p x ~q = 0;
identity rule_contradiction [p x ~q = 0, p x q = 0] : p x = 0;
identity rule_implication [p x ~(~q + r) = 0, p x ~q = 0] : p x ~r = 0;
identity rule_refined_program [p x ~q = 0, y <= x] : p y ~q = 0;
identity rule_loop_of_refined [p x ~p = 0, y <= x*] : p y ~p = 0;
identity rule_ghost [p x ~q = 0, y e <= x] : p y e ~q = 0;
identity rule_frame_choice [p x ~q = 0, p y ~r = 0] : p (x + y) ~(q + r) = 0;
identity rule_frame_loop [p x ~p = 0, q y ~q = 0, p y = y p, q x = x q] : p q (x + y)* ~(p q) = 0;

// Weakest liberal preconditions: p is one of x for q if `t x ~q = 0` is the same as `t <= p`.

identity wlp_sequence [p x ~r = 0, r y ~q = 0, s <= p] : s x y ~q = 0;
identity wlp_choice [p x ~r = 0, q y ~r = 0] : p q (x + y) ~r = 0;
identity wlp_conditional [p x ~r = 0, q y ~r = 0] : (e p + ~e q) (e x + ~e y) ~r = 0;
identity wlp_conditional_implications [p x ~r = 0, q y ~r = 0] :
    (~e + p) (e + q) (e x + ~e y) ~r = 0;
identity wlp_while [e p x ~i = 0, i <= (~e + p) (e + q)] : i (e x)* ~e ~q = 0;
identity wlp_test : (~e + q) e ~q = 0;

// Verification conditions of annotated programs.

identity vc_search_loop [p <= i, i e f <= q, i e ~f x ~i = 0, i ~e <= q] :
    p (e ~f x)* ~(e ~f) ~q = 0;
identity vc_two_loops [p <= i, i e x ~i = 0, i ~e <= j, j f y ~j = 0, j ~f <= q] :
    p (e x)* ~e (f y)* ~f ~q = 0;
identity vc_loop_then_branch [p <= i, i e x ~i = 0, i ~e f y ~q = 0, i ~e ~f z ~q = 0] :
    p (e x)* ~e (f y + ~f z) ~q = 0;
identity vc_branch_in_loop [i e f x ~i = 0, i e ~f y ~i = 0, i ~e <= q] :
    i (e (f x + ~f y))* ~e ~q = 0;
identity vc_initialised_loop [p a ~i = 0, i e x ~i = 0, i ~e <= q] : p a (e x)* ~e ~q = 0;
identity vc_finish [p a ~i = 0, i e x ~i = 0, i ~e b ~q = 0] : p a (e x)* ~e b ~q = 0;
identity vc_inner_keeps_outer [i e a ~(i j) = 0, i j f x ~(i j) = 0, i j ~f b ~i = 0] :
    i (e a (f x)* ~f b)* ~e ~(i ~e) = 0;

// False ones.

fails hoare_le_while_wrong [p x <= x p] : p (e x)* ~e <= (e x)* ~e ~p;
fails hoare_le_converse [p x <= x q] : x q <= p x;
fails form_inequality_other [p x ~q = 0] : x q <= p x;
fails rule_if_condition_lost [p e x ~q = 0] : p (e x + ~e) ~q = 0;
fails rule_guarded_loop_one [p e x ~p = 0] : p (e x + f y)* ~p = 0;
fails rule_while_exit_missing [i e x ~i = 0] : i (e x)* ~e ~q = 0;
fails rule_repeat_first [q ~e x ~q = 0] : p x (~e x)* e ~(q e) = 0;
fails rule_constancy_missing [p x ~q = 0] : p r x ~(q r) = 0;
fails rule_sequence_broken [p x ~q = 0, r y ~s = 0] : p x y ~s = 0;
fails rule_conjunction_wrong [p x ~q = 0, r x ~s = 0] : (p + r) x ~(q s) = 0;
fails rule_disjunction_wrong [p x ~q = 0, p x ~r = 0, p y ~q = 0] : p (x + y) ~(q r) = 0;
fails rule_total [p x ~q = 0] : p <= p x + q;
fails rule_refined_wrong [p x ~q = 0, x <= y] : p y ~q = 0;
fails wlp_conditional_wrong [p x ~r = 0, q y ~r = 0] : (p + q) (e x + ~e y) ~r = 0;
fails vc_not_initialised [i e x ~i = 0, i ~e <= q] : p a (e x)* ~e ~q = 0;
fails vc_two_loops_gap [p <= i, i e x ~i = 0, j f y ~j = 0, j ~f <= q] :
    p (e x)* ~e (f y)* ~f ~q = 0;
