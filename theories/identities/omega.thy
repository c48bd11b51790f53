// Omega algebra: loops that go on for ever.
//
// Cohen 2000, "Separation and reduction"; Stoller & Cohen 2003, section 2. `x^w` says where an infinite execution of x begins;
// nothing follows it, so `x^w y <= x^w`. `x # y` is `x^w + x* y`. `x^w = 0` says that x terminates; the laws about that go
// back to Bachmair & Dershowitz (1986, "Commutation, transformation, and termination") and, in this form, to Struth.

use kleene;

level omega;

action x, y, z, u, v;
test p, q;

// The axioms.

axiom omega_unfold : x^w = x x^w;
axiom omega_coinduction [x <= y x + z] : x <= y^w + y* z;

// First consequences.

identity coinduction_equal [x = y x + z] : x <= y^w + y* z;
identity coinduction_alone [y <= x y] : y <= x^w;
identity coinduction_with_one [y <= x y + 1] : y <= x^w + x*;
identity omega_of_zero : 0^w = 0;
identity omega_of_one : 1^w = T;
identity omega_of_top : T^w = T;
identity omega_isotone [x <= y] : x^w <= y^w;
identity omega_ends : x^w y <= x^w;
identity omega_top : x^w T = x^w;
identity omega_above_one [1 <= x] : x^w = T;
identity omega_then_total [1 <= y] : x^w y = x^w;
identity omega_of_star : (x*)^w = T;
identity omega_of_omega : (x^w)^w <= x^w;
identity star_of_omega : (x^w)* = 1 + x^w;
identity star_before_omega : x* x^w = x^w;
identity star_after_omega : x^w x* = x^w;
identity power_before_omega : x x x^w = x^w;
identity omega_square_below : x^w x^w <= x^w;
identity omega_of_test : p^w = p T;

// Sliding, powers, sums.

identity omega_slide_below : y (x y)^w <= (y x)^w;
identity omega_slide :
    (x y)^w = x (y x)^w by omega_slide_below, omega_slide_below(x := y, y := x), unfold;
identity omega_of_square : (x x)^w = x^w by omega_slide(y := x), coinduction, unfold;
identity omega_of_cube : (x x x)^w = x^w by omega_slide(y := x x), coinduction, unfold;
identity omega_of_plus : (x x*)^w = x^w;
identity omega_below_sum : x^w + y^w <= (x + y)^w;
identity omega_sum_unfold :
    (x + y)^w = x^w + x* y (x + y)^w
    by star_before_omega(x := x + y), coinduction, unfold;
identity omega_denest_below :
    (x* y)^w <= (x + y)^w
    by omega_isotone(x := x* y, y := (x + y) (x + y)*), omega_of_plus(x := x + y);
identity omega_denest_end :
    (x* y)* x^w <= (x + y)^w by omega_isotone(y := x + y), star_before_omega(x := x + y);
identity omega_denest :
    (x + y)^w = (x* y)^w + (x* y)* x^w
    by omega_sum_unfold, coinduction, omega_denest_below, omega_denest_end;
identity omega_absorbs_below [y <= x] : (x + y)^w = x^w;
identity omega_star_sum : (x + y)* x^w <= (x + y)^w;

// The operator `#`.

identity loop_unfold : x # y = x (x # y) + y;
identity loop_of_zero : 0 # x = x;
identity loop_of_one : 1 # x = T;
identity loop_to_zero : x # 0 = x^w;
identity loop_sum : x # (y + z) = (x # y) + (x # z);
identity loop_isotone [x <= y, u <= v] : x # u <= y # v;
identity loop_product : (x # y) z <= x # (y z);
identity loop_contains_star : x* y <= x # y;
identity loop_twice : x # (x # y) = x # y;

// Simulation.

identity omega_simulation [z x <= y z] : z x^w <= y^w;
identity omega_under_invariant [p x ~p = 0] : p x^w <= (p x)^w;
identity omega_under_invariant_equal [kept : p x ~p = 0] :
    p x^w = p (p x)^w by kept, omega_under_invariant, omega_isotone(x := p x, y := x);
identity omega_not_entered [p x = 0] : p x^w = 0;
identity omega_of_guarded : (p x)^w = p (x p)^w by omega_slide(x := p, y := x);
identity omega_dead_guard [x p = 0] : (p x)^w = 0;
identity omega_splits : x^w = (p x + ~p x)^w;

// Termination.

identity terminates_below [x^w = 0, y <= x] : y^w = 0;
identity terminates_slide [ends : (x y)^w = 0] : (y x)^w = 0 by ends, omega_slide(x := y, y := x);
identity terminates_square [ends : (x x)^w = 0] : x^w = 0 by ends, omega_of_square;
identity terminates_plus [ends : x^w = 0] : (x x*)^w = 0 by ends, omega_of_plus;
identity terminates_simulated [like : z x <= y z, ends : y^w = 0] :
    z x^w = 0 by like, ends, omega_simulation;
identity terminates_no_loop [ends : x^w = 0, loop : y <= x y] :
    y = 0 by ends, loop, coinduction_alone;
identity terminates_not_at [ends : x^w = 0, loop : p <= p x p] :
    p = 0 by ends, loop, coinduction_alone(x := p x, y := p), omega_isotone(x := p x, y := x);
identity terminates_nilpotent [x x = 0] : x^w = 0;
identity arden_below [x^w = 0, y <= x y + z] : y <= x* z;
identity arden [x^w = 0, y = x y + z] : y = x* z;
identity arden_loop [x^w = 0] : x # y = x* y;
identity terminates_by_phase [(x ~q)^w = 0, y <= x ~q y + z] : y <= (x ~q)* z;
identity omega_sum_moves [moves : y x <= x (x + y)*] :
    (x + y)^w <= x (x + y)^w + y^w
    by moves, omega_sum_unfold(x := y, y := x), quasi_commutation, star_before_omega(x := x + y);
identity omega_sum_refine [moves : y x <= x (x + y)*] :
    (x + y)^w = x^w + x* y^w
    by moves, omega_sum_moves, coinduction, omega_isotone(y := x + y), omega_star_sum(x := y, y := x);
identity terminates_quasi_commuting [moves : y x <= x (x + y)*, x_ends : x^w = 0, y_ends : y^w = 0] :
    (x + y)^w = 0 by moves, x_ends, y_ends, omega_sum_refine;
identity terminates_commuting [moves : y x <= x y, x_ends : x^w = 0, y_ends : y^w = 0] :
    (x + y)^w = 0 by moves, x_ends, y_ends, terminates_quasi_commuting;
identity terminates_separated [never : x y = 0, x_ends : x^w = 0, y_ends : y^w = 0] :
    (x + y)^w = 0 by never, x_ends, y_ends, terminates_quasi_commuting(x := y, y := x);

// False ones.

fails omega_goes_on : x^w y = x^w;
fails omega_everywhere : x^w = T;
fails omega_nowhere : x^w = 0;
fails omega_of_sum : (x + y)^w <= x^w + y^w;
fails omega_of_sum_stars : (x + y)^w <= x^w + x* y^w;
fails omega_slide_wrong : (x y)^w <= (y x)^w;
fails omega_isotone_back [x^w <= y^w] : x <= y;
fails omega_of_product [x^w = 0, y^w = 0] : (x y)^w = 0;
fails omega_of_union [x^w = 0, y^w = 0] : (x + y)^w = 0;
fails omega_simulation_back [y z <= z x] : y^w <= z x^w;
fails induction_for_coinduction [y <= x y + z] : y <= x* z;
fails omega_of_test_is_test : p^w = p;
fails omega_fixed [y = x y + z] : y = x^w + x* z;

// True of all relations, but not a consequence of the axioms.

open omega_square : x^w <= x^w x^w;
