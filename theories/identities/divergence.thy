// Divergence: from where executions of a program can follow each other for ever.
//
// `div(x)` is the greatest test p with `p <= |x> p`. The axioms are those of divergence Kleene algebra in Desharnais, Moeller & Struth 2011,
// "Algebraic notions of termination" (LMCS 7), where the laws of well-foundedness, Loeb's formula among them, and the one of unions are,
// too: Bachmair & Dershowitz's (1986) and that of Doornbos, Backhouse & van der Woude 1997. `x^w` needs no such test, and a divergence
// needs no `x^w`: in algebras of finite traces `x^w` is often 0, although x diverges (Hoefner & Struth 2010).

level divergence;

action a, b, x, y, z;
test p, q, r;

// The axioms.

axiom divergence_unfold : div(x) <= |x> div(x);
axiom divergence_is_greatest [p <= |x> p] : p <= div(x);
axiom divergence_coinduction [p <= |x> p + q] : p <= div(x) + |x*> q;

// What follows at once.

identity divergence_fixpoint : div(x) = |x> div(x);
identity divergence_in_domain : div(x) <= dom(x);
identity divergence_of_zero : div(0) = 0;
identity divergence_of_one : div(1) = 1;
identity divergence_of_top : div(T) = 1;
identity divergence_of_test : div(p) = p;
identity divergence_of_star : div(x*) = 1;
identity divergence_of_plus : div(x x*) = div(x);
identity divergence_begins : |x*> div(x) = div(x);
identity divergence_isotone [x <= y] : div(x) <= div(y);
identity divergence_of_summand : div(x) + div(y) <= div(x + y);
identity divergence_of_sum_unfold : div(x + y) = |x> div(x + y) + |y> div(x + y);
identity divergence_slides : div(x y) = |x> div(y x);
identity divergence_of_square : div(x x) = div(x);
identity divergence_of_cube : div(x x x) = div(x);
identity divergence_of_guarded : div(p x) <= p;
identity divergence_guards_again : div(p x) = div(p x p);
identity divergence_of_ended : div(x p) = |x> div(p x);
identity divergence_of_omega : dom(x^w) <= div(x);
identity divergence_invariant [p x = p x p] : p div(x) = div(p x);
identity no_divergence_of_omega [div(x) = 0] : x^w = 0;

// Programs that end: well-foundedness, in the forms it has.

identity ends_no_cycle [div(x) = 0, p <= |x> p] : p = 0;
identity ends_induction [div(x) = 0, |x] p <= p] : p = 1;
identity ends_normal_form [div(x) = 0] : |x*> ~dom(x) = 1;
identity ends_loeb [div(x) = 0] : p <= |x*> (p |x] ~p);
identity ends_loeb_box [div(x) = 0] : |x*] (~p + |x> p) <= ~p;
identity loeb_ends [div(x) <= |x*> (div(x) |x] ~div(x))] : div(x) = 0;
identity ends_smaller [x <= y, div(y) = 0] : div(x) = 0;
identity ends_plus [div(x) = 0] : div(x x*) = 0;

// Simulation.

identity divergence_simulated [z x <= y z] : |z> div(x) <= div(y);
identity divergence_simulated_by_more [z x <= y y* z] : |z> div(x) <= div(y);
identity ends_simulated [z x <= y z, 1 <= <z| 1, div(y) = 0] : div(x) = 0;

// Unions. A step of y after all steps of x that are made first; and where steps of x move behind steps of y.

identity divergence_of_sum : div(x + y) <= div(x) + |x* y> div(x + y);
identity divergence_denesting : div(x + y) = div(x* y) + |(x* y)*> div(x);
identity divergence_quasi_commutes [x y <= y (x + y)*] : div(x + y) = div(y) + |y*> div(x);
identity ends_quasi_commutes [x y <= y (x + y)*, div(x) = 0, div(y) = 0] : div(x + y) = 0;

// Lazy commutation: a step of y behind one of x is left out, or can come first. Of the states p from where executions go on for ever, take
// those, q, from where y has no step that stays in p: each execution gets to one of them, since y ends. They go on with x, and get to q
// again by steps of y; there, a step of y could not have come first. So x does not end, or there is no q. Then y does not end, or there is
// no p. Doornbos, Backhouse & van der Woude say it of relations; here it takes nothing but the axioms.

identity lazily_passes [x y <= x + y z, z y <= z] : x y* <= x + y z;
identity lazily_before [q <= |x> p, p <= |y*> q] : q <= |x y*> q;
identity lazily_on [h1 : x y* <= x + y z, h2 : q <= |x> p, h3 : p <= |y*> q, h4 : |z> p <= p, h5 : q |y> p = 0, h6 : q <= p] : q <= |x> q
    by h1, h2, h3, h4, h5, h6, lazily_before;
identity lazily_last [h1 : x y* <= x + y z, h2 : p <= |x + y> p, h3 : |z> p <= p, h4 : div(y) = 0] : p ~|y> p <= |x> (p ~|y> p)
    by h1, h2, h3, h4, ends_loeb(x := y), lazily_on(q := p ~|y> p);
identity lazily_none [p ~|y> p <= |x> (p ~|y> p), div(x) = 0, div(y) = 0] : p = 0;
identity ends_lazily [h1 : x y <= x + y (x + y)*, h2 : div(x) = 0, h3 : div(y) = 0] : div(x + y) = 0
    by h1, h2, h3, lazily_passes(z := (x + y)*), lazily_last(p := div(x + y), z := (x + y)*), lazily_none(p := div(x + y));

// Disjunctive well-foundedness (Podelski & Rybalchenko 2004, "Transition invariants"), of two.

identity ends_disjunctively [h1 : (x + y) (x + y) <= x + y, h2 : div(x) = 0, h3 : div(y) = 0] : div(x + y) = 0
    by h1, h2, h3, ends_lazily;
fails ends_not_transitively [x x <= x, y y <= y, div(x) = 0, div(y) = 0] : div(x + y) = 0;

// Loops: what a loop diverges from, it does not leave.

identity loop_ends [div(p x) = 0] : |(p x)*> ~dom(p x) = 1;
identity loop_total [div(p x) = 0, p <= |x> 1] : |(p x)* ~p> 1 = 1;

// What does not hold.

fails domain_no_divergence : dom(x) <= div(x);
fails divergence_of_product : div(x y) = div(y x);
fails divergence_additive : div(x + y) = div(x) + div(y);
fails divergence_not_of_both [div(x) = 0, div(y) = 0] : div(x + y) = 0;
fails divergence_denesting_back : div(x + y) = div(y x*) + |(y x*)*> div(x);
fails divergence_commutes_little [x y <= y* x] : div(x + y) = div(y) + |y*> div(x);
fails no_end_of_loeb [div(x) = 0] : p <= |x*> (p |x] p);
fails ends_not_larger [x <= y, div(x) = 0] : div(y) = 0;
