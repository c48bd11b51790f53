// Domain, codomain and the modal operators of programs.
//
// `dom(x)` is the test that an execution of x begins here, `cod(x)` that one ends here. The axioms are those of Desharnais, Moeller & Struth
// 2006, "Kleene algebra with domain" (ACM TOCL 7), whose tests are all that there are: with complements this is the Kleene algebra with
// antidomain of Desharnais & Struth 2011, `~dom(x)` being the antidomain of x. The modal operators are those of Moeller & Struth 2006,
// "Algebras of modal operators and partial correctness" (TCS 351): `|x> p` and `|x] p` look ahead, `<x| p` and `[x| p` back. The laws
// of `|x*>` are those of propositional dynamic logic (Fischer & Ladner 1979; Segerberg 1977).

level domain;

action x, y, z;
test p, q, r;

// The axioms: of domain, and as the kernel has them.

axiom domain_preserves : x = dom(x) x;
axiom domain_of_guarded : dom(p x) <= p;
axiom domain_is_local : dom(x y) = dom(x dom(y));
axiom before_domain [x y = 0] : x dom(y) = 0;
axiom codomain_preserves : x = x cod(x);
axiom codomain_of_guarded : cod(x p) <= p;
axiom codomain_is_local : cod(x y) = cod(cod(x) y);
axiom behind_codomain [x y = 0] : cod(x) y = 0;

// The least test that x does not lead out of, and what follows (Desharnais, Moeller & Struth 2006, section 4).

identity domain_is_least [x = p x] : dom(x) <= p;
identity domain_is_least_back [dom(x) <= p] : x = p x;
identity domain_strict : dom(0) = 0;
identity domain_of_one : dom(1) = 1;
identity domain_of_top : dom(T) = 1;
identity domain_of_test : dom(p) = p;
identity domain_of_domain : dom(dom(x)) = dom(x);
identity domain_additive : dom(x + y) = dom(x) + dom(y);
identity domain_isotone [x <= y] : dom(x) <= dom(y);
identity domain_export : dom(p x) = p dom(x);
identity domain_export_domain : dom(dom(x) y) = dom(x) dom(y);
identity domain_of_beginning : dom(x y) <= dom(x);
identity domain_three : dom(x y z) = dom(x dom(y dom(z)));
identity domain_of_zero [dom(x) = 0] : x = 0;
identity domain_of_full [1 <= x] : dom(x) = 1;
identity domain_of_star : dom(x*) = 1;
identity domain_total [dom(x) = 1, dom(y) = 1] : dom(x y) = 1;
identity domain_context [dom(x) <= dom(y)] : dom(z x) <= dom(z y);
identity domain_swallows : (dom(x) + dom(y)) (x + y) = x + y;
identity domain_difference : dom(x) ~dom(y) <= dom(x ~dom(y) + dom(x) ~dom(y));
identity domain_of_simulation [x z <= z y] : dom(x* z) <= dom(z y*);
identity domain_of_omega : dom(x^w) = |x> dom(x^w);
identity before_domain_back [x dom(y) = 0] : x y = 0;
identity apart [cod(x) dom(y) = 0] : x y = 0;
identity apart_back [x y = 0] : cod(x) dom(y) = 0;
identity codomain_additive : cod(x + y) = cod(x) + cod(y);
identity codomain_export : cod(x dom(y)) = cod(x) dom(y);

// Antidomain (Desharnais & Struth 2011).

identity antidomain_annihilates : ~dom(x) x = 0;
identity antidomain_local : ~dom(x y) + ~dom(x dom(y)) = ~dom(x dom(y));
identity antidomain_complements : dom(x) + ~dom(x) = 1;

// Diamonds and boxes.

identity diamond_additive : |x> (p + q) = |x> p + |x> q;
identity diamond_of_choice : |x + y> p = |x> p + |y> p;
identity diamond_of_sequence : |x y> p = |x> |y> p;
identity diamond_of_test : |p> q = p q;
identity diamond_strict : |x> 0 = 0;
identity diamond_isotone [p <= q] : |x> p <= |x> q;
identity diamond_demodalised [|x> p <= q] : x p <= q x;
identity diamond_demodalised_back [x p <= q x] : |x> p <= q;
identity box_multiplicative : |x] (p q) = (|x] p) (|x] q);
identity box_of_choice : |x + y] p = (|x] p) (|y] p);
identity box_of_sequence : |x y] p = |x] |y] p;
identity box_of_test : |p] q = ~p + q;
identity box_of_one : |x] 1 = 1;
identity box_isotone [p <= q] : |x] p <= |x] q;
identity box_distribution : |x] (~p + q) <= ~(|x] p) + |x] q;
identity box_demodalised [p <= |x] q] : p x ~q = 0;
identity box_demodalised_back [p x ~q = 0] : p <= |x] q;
identity dual : ~(|x] ~p) = |x> p;

// What is before and behind: Galois connections and conjugates (Moeller & Struth 2006, section 3).

identity conjugates [(|x> p) q = 0] : p (<x| q) = 0;
identity conjugates_back [p (<x| q) = 0] : (|x> p) q = 0;
identity galois [<x| p <= q] : p <= |x] q;
identity galois_back [p <= |x] q] : <x| p <= q;
identity galois_ahead [|x> p <= q] : p <= [x| q;
identity galois_ahead_back [p <= [x| q] : |x> p <= q;
identity cancels : <x| |x] p <= p;
identity cancels_back : p <= |x] <x| p;

// Iteration: propositional dynamic logic.

identity diamond_unfold : |x*> p = p + |x> |x*> p;
identity diamond_induction [p + |x> q <= q] : |x*> p <= q;
identity diamond_star_twice : |x*> |x*> p = |x*> p;
identity diamond_denest : |(x + y)*> p = |x* (y x*)*> p;
identity diamond_plus : |x x*> p = |x*> |x> p;
identity diamond_closed [|x> p <= p] : |x*> p = p;
identity box_unfold : |x*] p = p (|x] |x*] p);
identity box_induction [p <= |x] p] : p <= |x*] p;
identity segerberg : |x*] (~p + |x] p) <= ~p + |x*] p;
identity segerberg_exact : p (|x*] (~p + |x] p)) = |x*] p;
identity invariant [p x = p x p] : p <= |x*] p;

// Partial correctness: `<x| p <= q` is the Hoare triple of p, x, q.

identity hoare_choice [<p x| q <= r, <~p y| q <= r] : <p x + ~p y| q <= r;
identity hoare_sequence [<x| p <= q, <y| q <= r] : <x y| p <= r;
identity hoare_while [<p x| q <= q] : <(p x)* ~p| q <= ~p q;
identity loop_ends : ~p q <= |(p x)* ~p> q;
identity loop_by_cases : |(p x + ~p y)*] q = q (|(p x + ~p y)*] ((~p + |x] q) (p + |y] q)));
identity diamond_simulation [x z <= z y] : |x* z> q <= |z y*> q;
identity diamond_commutation [z x = y z] : |z x> p = |y z> p;

// What does not hold.

fails domain_multiplicative : dom(x y) = dom(x) dom(y);
fails domain_of_meet : |x> (p q) = (|x> p) (|x> q);
fails domain_is_codomain : dom(x) = cod(x);
fails box_additive : |x] (p + q) = |x] p + |x] q;
fails diamond_induction_unfounded [p <= |x> p] : p <= |x x*> ~|x> 1;
fails loeb : |x> p <= |x> (p ~|x> p);
