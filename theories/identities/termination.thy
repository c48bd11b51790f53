// Omega algebra: termination, and infinite runs under commutation.
//
// Bachmair & Dershowitz 1986, "Commutation, transformation, and termination"; Struth 2006, "Abstract abstract reduction", and Desharnais,
// Moeller & Struth 2011, "Algebraic notions of termination"; Cohen 2000, "Separation and reduction"; Wagner 1977, "Eine Axiomatisierung
// der Theorie der regulaeren Folgenmengen". `x^w = 0` says that x terminates.

use kleene;
use omega;

level omega;

action a, b, c, u, v, w, x, y, z;
test p, q, r;

// Wagner's laws, and others of infinite words.

identity wagner_unfold : x y (x y)^w = (x y)^w;
identity wagner_power_four : (x x x x)^w = x^w;
identity wagner_plus_left : (x* x)^w = x^w;
identity wagner_sum_other : (x + y)^w = (y* x)^w + (y* x)* y^w;
identity wagner_sum_both_often : (x + y)^w = (y* x x* y)^w + (x + y)* x^w + (x + y)* y^w;
identity wagner_sum_many_last : (x + y)^w = (x + y)* x^w + (x + y)* (x* y)^w;
identity wagner_infinitely_often : (x* y)^w = (x + y)* (x* y)^w;
identity wagner_plus_inside : (x x* y)^w = x (x* y x)^w;
identity wagner_prefix : (x + y)* (x + y)^w = (x + y)^w;
identity wagner_star_shift : x (x* y)^w <= (x* y)^w;
identity wagner_sum_three :
    (x + y + z)^w = ((x + y)* z)^w + ((x + y)* z)* (x + y)^w;
identity wagner_rotation : (x y z)^w = x y (z x y)^w;
identity wagner_blocks : (x x + x x x)^w = x^w;
identity wagner_letters : ((x + y) (x + y))^w = (x + y)^w;
identity wagner_letters_expanded : (x x + x y + y x + y y)^w = (x + y)^w;
identity wagner_star_of_star_step : (x* y* x)^w <= (x + y)^w;
identity wagner_eventually : (x + y)* x^w = x^w + (x + y)* y x^w;
identity wagner_cube_inside : (x y x y x y)^w = (x y)^w;
identity wagner_sum_of_orders : (x y + y x)^w <= ((x + y) (x + y))^w;

// What terminates.

identity ends_cube [x x x = 0] : x^w = 0;
identity ends_cube_back [ends : (x x x)^w = 0] : x^w = 0 by ends, omega_of_cube;
identity ends_power [ends : x^w = 0] : (x x x)^w = 0 by ends, omega_of_cube;
identity ends_below_plus [ends : x^w = 0, small : y <= x x*] :
    y^w = 0 by ends, small, omega_of_plus, omega_isotone(x := y, y := x x*);
identity ends_member [ends : (x + y)^w = 0] : x^w = 0 by ends, omega_isotone(y := x + y);
identity ends_in_product [ends : (x y)^w = 0] : (x y x y)^w = 0 by ends, omega_of_square(x := x y);
identity ends_rotation [ends : (x y z)^w = 0] : (z x y)^w = 0
    by ends, omega_slide(x := z, y := x y);
identity ends_sum_of_blocks [ends : (x + y)^w = 0] : (x* y)^w = 0
    by ends, omega_denest_below;
identity ends_sum_of_parts [first : (x* y)^w = 0, second : x^w = 0] : (x + y)^w = 0
    by first, second, omega_denest;
identity ends_never_reflexive [ends : x^w = 0, one : 1 <= x] : x = 0 by ends, one, omega_above_one, unfold;
identity ends_not_idempotent [ends : x^w = 0, idem : x x = x] : x = 0
    by ends, idem, coinduction_alone(y := x);
identity ends_not_dense [ends : x^w = 0, dense : x <= x x] : x = 0
    by ends, dense, coinduction_alone(y := x);
identity ends_no_cycle [ends : x^w = 0, cycle : p <= p x x* p] : p = 0
    by ends, cycle, coinduction_alone(x := p x x*, y := p), omega_isotone(x := p x x*, y := x x*), omega_of_plus;
identity ends_star_fixed_point [ends : x^w = 0, fix : y <= x x* y] : y = 0
    by ends, fix, coinduction_alone(x := x x*), omega_of_plus;
identity ends_unique_solution [ends : x^w = 0, first : y = x y + z, second : u = x u + z] : y = u
    by ends, first, second, arden, arden(y := u);
identity ends_on_left_unique [ends : x^w = 0, back : p <= x p] : p = 0
    by ends, back, coinduction_alone(y := p);

// Infinite runs simulated.

identity follow_stuttering [moves : z x <= y y* z] : z x^w <= y^w
    by moves, omega_simulation(y := y y*), omega_of_plus(x := y);
identity follow_start [start : a <= b z, moves : z x <= y z] : a x^w <= b y^w
    by start, moves, omega_simulation;
identity follow_ends [start : a <= b z, moves : z x <= y z, ends : y^w = 0] : a x^w = 0
    by start, moves, ends, omega_simulation;
identity follow_ends_covered [1 <= b z, z x <= y z, y^w = 0] : x^w = 0;
identity follow_two [first : z x <= y z, second : u y <= v u] : u z x^w <= v^w
    by first, second, omega_simulation, omega_simulation(z := u, x := y, y := v);
identity follow_variant [moves : p x <= y p] : p x^w <= y^w by moves, omega_simulation(z := p);
identity follow_kept_test [kept : p x <= x p, ends : (p x)^w = 0] : p x^w = 0
    by kept, ends, omega_simulation(z := p, y := p x);
identity follow_in_phases [ends_p : (p x)^w = 0, ends_q : (~p x)^w = 0, kept : p x ~p = 0] : x^w = 0
    by ends_p, ends_q, kept, omega_splits, terminates_quasi_commuting(x := ~p x, y := p x);

// Unions: Bachmair & Dershowitz.

identity union_quasi_exact [moves : y x <= x (x + y)*, one : x^w = 0] : (x + y)^w = x* y^w
    by moves, one, omega_sum_refine;
identity union_semi [moves : y x <= x y*, one : x^w = 0, two : y^w = 0] : (x + y)^w = 0
    by moves, one, two, terminates_quasi_commuting;
identity union_plus [moves : y x <= x x* y*, one : x^w = 0, two : y^w = 0] : (x + y)^w = 0
    by moves, one, two, terminates_quasi_commuting;
identity union_absorbing [moves : y x <= x, one : x^w = 0, two : y^w = 0] : (x + y)^w = 0
    by moves, one, two, terminates_quasi_commuting;
identity union_transitive [trans : (x + y) (x + y) <= x + y, quasi : y x <= x (x + y)*, one : x^w = 0] :
    (x + y)^w = x* y^w by quasi, one, omega_sum_refine;
identity union_three [yx : y x <= x y, zx : z x <= x z, zy : z y <= y z, one : x^w = 0, two : y^w = 0, three : z^w = 0] :
    (x + y + z)^w = 0
    by yx, zx, zy, one, two, three, terminates_commuting, terminates_commuting(x := x + y, y := z);
identity union_commuting_exact [moves : y x <= x y] : (x + y)^w = x^w + x* y^w by moves, omega_sum_refine;
identity union_empty_product [never : y x = 0] : (x + y)^w = x^w + x* y^w
    by never, omega_sum_refine;
identity union_relative [ends : (x* y)^w = 0] : (x + y)^w = (x* y)* x^w by ends, omega_denest;
identity union_relative_ends [moves : y x <= x (x + y)*, two : y^w = 0] : (x + y)^w = x^w
    by moves, two, omega_sum_refine;
identity union_below [moves : y x <= x (x + y)*, one : x^w <= z, x z <= z, two : y^w <= z, y z <= z] : (x + y)^w <= z;

// Loops of programs that end.

identity while_ends_below [ends : (p x)^w = 0, small : y <= x] : (p y)^w = 0
    by ends, small, omega_isotone(x := p y, y := p x);
identity while_ends_stronger [ends : (p x)^w = 0, small : q <= p] : (q x)^w = 0
    by ends, small, omega_isotone(x := q x, y := p x);
identity while_ends_rotated [ends : (p x)^w = 0] : (x p)^w = 0 by ends, omega_slide(x := x, y := p);
identity while_ends_invariant [kept : q p x ~q = 0, ends : (q p x)^w = 0] : q (p x)^w = 0
    by kept, ends, omega_simulation(z := q, x := p x, y := q p x);
identity while_ends_variant [moves : z p x <= y z, ends : y^w = 0, seen : 1 <= u z] : (p x)^w = 0
    by moves, ends, seen, omega_simulation(x := p x);
identity while_ends_at_once [p x p = 0] : (p x)^w = 0;
identity while_ends_twice [p x p x p = 0] : (p x)^w = 0;
identity while_ends_inner_body [inner : (q y)^w = 0] :
    p x ((q y)* ~q + (q y)^w) = p x (q y)* ~q by inner;
identity while_ends_nested [inner : (q y)^w = 0, outer : (p x (q y)* ~q)^w = 0] :
    (p x ((q y)* ~q + (q y)^w))^w = 0
    by inner, outer, while_ends_inner_body, omega_isotone(x := p x ((q y)* ~q + (q y)^w), y := p x (q y)* ~q);
identity while_true_skip : (p 1)^w = p T;
identity while_diverges_at [back : p T <= x p T] : p T <= x^w by back, coinduction_alone(y := p T);
identity while_diverges_on_cycle [back : p <= p x p] : p T <= x^w by back, coinduction_alone(y := p T);

// False ones.

fails wagner_sum_wrong : (x + y)^w = (x* y)^w + x^w;
fails wagner_often_both : (x* y)^w = (y* x)^w;
fails wagner_product : (x y)^w = x^w y^w;
fails wagner_plus_needed : (x* y*)^w <= (x + y)^w;
fails wagner_rotation_wrong : (x y z)^w = (y z x)^w;
fails wagner_finite_prefix : (x + y)^w = (x + y)* y^w;
fails ends_star [x^w = 0] : (x*)^w = 0;
fails ends_converse [(x x)^w <= x] : x^w = 0;
fails ends_rotation_needed [x^w = 0] : (x y)^w = 0;
fails ends_from_star [x* x^w <= x] : x^w = 0;
fails follow_converse [z x <= y z, x^w = 0] : y^w = 0;
fails follow_partial [z x <= y z, y^w = 0] : x^w = 0;
fails follow_reverse [y z <= z x, x^w = 0] : y^w = 0;
fails union_no_commutation [x^w = 0, y^w = 0, x x <= x, y y <= y] : (x + y)^w = 0;
fails union_wrong_way [x y <= x (x + y)*, x^w = 0, y^w = 0] : (x + y)^w = 0;
fails union_needs_first [y x <= x y, y^w = 0] : (x + y)^w = 0;
fails union_needs_second [y x <= x y, x^w = 0] : (x + y)^w = 0;
fails union_of_locally_commuting [y x <= x* y*, x^w = 0, y^w = 0] : (x + y)^w = 0;
fails newman_without_converse [y x <= x* y*, x^w = 0, y^w = 0] : y* x* <= x* y*;
fails while_ends_weaker [(p x)^w = 0, p <= q] : (q x)^w = 0;
fails while_ends_wrong_invariant [q p x ~q = 0, (q p x)^w = 0] : (p x)^w = 0;
fails while_diverges_everywhere [p <= x p T] : x^w = T;
