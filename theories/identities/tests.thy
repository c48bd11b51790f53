// Kleene algebra with tests: conditions, branches and loops of programs.
//
// Kozen 1997, "Kleene algebra with tests"; the rules of propositional Hoare logic are from Kozen 2000. A triple {p} x {q} is
// `p x ~q = 0`, `if p then x else y` is `p x + ~p y`, and `while p do x` is `(p x)* ~p`.

use kleene;

level tests;

action x, y, z;
test p, q, r;

// The axioms: tests are a Boolean algebra below 1, with sum and product as join and meet.

axiom complement : p ~p = 0 = ~p p;
axiom excluded_middle : p + ~p = 1;
axiom test_idempotent : p p = p;
axiom tests_commute : p q = q p;
axiom test_below_one : p <= 1;
axiom double_complement : ~~p = p;
axiom de_morgan : ~(p + q) = ~p ~q;
axiom de_morgan_product : ~(p q) = ~p + ~q;
axiom distributive_over_product : p + q r = (p + q) (p + r);

// Boolean laws.

identity absorption : p + p q = p;
identity absorption_product : p (p + q) = p;
identity split : q = q p + q ~p;
identity consensus : p q + ~p r = p q + ~p r + q r;
identity exclusive_or : p (p ~q + ~p q) + ~p ~(p ~q + ~p q) = ~q;
identity exclusive_or_associative :
    (p ~q + ~p q) ~r + ~(p ~q + ~p q) r = p ~(q ~r + ~q r) + ~p (q ~r + ~q r);
identity contraposition [p <= q] : ~q <= ~p;
identity shunting [p q <= r] : p <= ~q + r;
identity shunting_back [p <= ~q + r] : p q <= r;
identity disjoint [p q = 0] : p <= ~q;
identity below_by_zero [p ~q = 0] : p <= q;
identity below_to_zero [p <= q] : p ~q = 0;
identity below_to_product [p <= q] : p q = p;
identity below_two [p <= q, p <= r] : p <= q r;
identity complement_unique [p q = 0, p + q = 1] : q = ~p;

// Actions under tests.

identity star_of_test : p* = 1;
identity star_with_test : (p + x)* = x*;
identity action_splits : x = p x + ~p x;
identity action_splits_after : x = x p + x ~p;
identity outcome_below [x <= y p] : x = x p;
identity star_splits : x* = (p x + ~p x)*;
identity star_first_exit : x* = (p x)* (1 + ~p x x*);
identity guarded_slide : (p x)* p = p (x p)*;
identity guarded_unfold : (p x)* = 1 + p (x p)* x;
identity guarded_denest : (p x + ~p y)* = ((p x)* ~p y)* (p x)*;
identity blocked [p x = 0] : p x* = p;
identity blocked_after [x p = 0] : x* p = p;
identity below_one_stays [x <= 1] : p x ~p = 0;
identity below_one_commutes_with_test [small : x <= 1] :
    p x = x p by small, below_one_stays, below_one_stays(p := ~p);

// A triple in four ways.

identity triple_preserves [p x ~q = 0] : p x = p x q;
identity triple_moves [p x = p x q] : p x <= x q;
identity triple_backwards [p x <= x q] : x ~q <= ~p x;
identity triple_blocks [x ~q <= ~p x] : p x ~q = 0;
identity triple_below [p x ~q = 0] : p x <= x q;

// The rules of Hoare logic.

identity hoare_skip : p 1 ~p = 0;
identity hoare_sequence [p x ~q = 0, q y ~r = 0] : p x y ~r = 0;
identity hoare_choice [p x ~q = 0, p y ~q = 0] : p (x + y) ~q = 0;
identity hoare_conditional [q p x ~r = 0, ~q p y ~r = 0] : p (q x + ~q y) ~r = 0;
identity hoare_iteration [p x ~p = 0] : p x* ~p = 0;
identity hoare_while [q p x ~p = 0] : p (q x)* ~q ~(~q p) = 0;
identity hoare_consequence_before [p <= q, q x ~r = 0] : p x ~r = 0;
identity hoare_consequence_after [p x ~q = 0, q <= r] : p x ~r = 0;
identity hoare_conjunction [p x ~q = 0, p x ~r = 0] : p x ~(q r) = 0;
identity hoare_disjunction [p x ~r = 0, q x ~r = 0] : (p + q) x ~r = 0;

// Programs.

identity if_swap : p x + ~p y = ~p y + ~~p x;
identity if_then_after : (p x + ~p y) z = p x z + ~p y z;
identity if_nested : p (p x + ~p y) + ~p z = p x + ~p z;
identity if_under_own_test : p (p x + ~p y) = p x;
identity if_after_commuting [p z = z p] : z (p x + ~p y) = p z x + ~p z y;
identity while_unfold : (p x)* ~p = p x (p x)* ~p + ~p;
identity while_ends : (p x)* ~p = (p x)* ~p ~p;
identity while_twice : (p x)* ~p (p x)* ~p = (p x)* ~p;
identity while_not_entered : ~p (p x)* ~p = ~p;
identity while_unrolled : (p x)* ~p = (p x (p x + ~p))* ~p;
identity while_split_guard : (p x)* ~p = (p q x)* ~(p q) (p x)* ~p;
identity while_nested :
    (p x (q y)* ~q)* ~p = p x ((p + q) (q y + ~q x))* ~(p + q) + ~p;
identity while_keeps_invariant [p x ~p = 0] : p (q x)* ~q = p (q p x)* ~q p;
identity loop_keeps_own_test [p x ~p = 0] : p (p x)* ~p = 0;
identity dead_loop : p (~p x)* = p;

// What a test commutes with it passes.

identity preserved_and_reflected [p x = x p] : ~p x = x ~p;
identity passes_loop [p x = x p] : p x* = x* p;
identity passes_sum [p x = x p, p y = y p] : p (x + y)* = (x + y)* p;
identity passes_down [p x <= x p] : p x* <= x* p;
identity guard_of_loop [p x = x p] : p x* = p (p x)*;
identity guard_of_loop_below [p x <= x p] : p x* = p (x p)*;
identity guard_of_exit [p x = x p] : x* p = (p x)* p;
identity while_moves [guard : p y = y p, body : x y = y x] :
    y (p x)* ~p = (p x)* ~p y by guard, body, commutes(x := p x);
identity test_out_of_branch [p x = x p, p y = y p] : p (q x + ~q y) = (q x + ~q y) p;

// A test that stays true once it is: the loop falls into two.

identity sticky [q x ~q = 0] : x* = (~q x)* (q x)*;
identity sticky_outcome [q x ~q = 0] : ~q x* ~q = ~q (~q x ~q)*;
identity never_left [q x ~q = 0, p <= q] : p x* ~q = 0;
identity never_reached [p x ~p = 0, p q = 0] : p x* q = 0;
identity alternation [p x p = 0, ~p x ~p = 0] : p x x = p x x p;
identity exclusive_modes [x ~p = 0, ~p y = y] : x y = 0;

// False ones.

fails tests_pass_actions : p x = x p;
fails preserved : p x <= x p;
fails de_morgan_wrong : ~(p + q) = ~p + ~q;
fails triple_negated [p x ~q = 0] : ~p x q = 0;
fails triple_backwards_wrong [p x ~q = 0] : q x ~p = 0;
fails reflected [p x <= x p] : x p <= p x;
fails guarded_slide_wrong : (p x)* = (x p)*;
fails guard_dropped : p x* = (p x)*;
fails guard_repeated : p x* = p (p x)*;
fails while_guard_dropped : (p x)* ~p = x* ~p;
fails if_exchanged : p x + ~p y = p y + ~p x;
fails if_before : z (p x + ~p y) = p z x + ~p z y;
fails invariant_without_step : p (q x)* ~q <= (q x)* ~q p;
fails sticky_always : x* = (~q x)* (q x)*;
fails total : p <= p x + ~p;
