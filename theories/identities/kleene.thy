// Kleene algebra: loops.
//
// The axioms are Kozen's (1994) and, equivalent to them, those of Stoller & Cohen 2003, section 2. Laws without premises are equations
// between regular expressions and decided; laws about commutation are Cohen's (1994, "Hypotheses in Kleene algebra"; 2000,
// "Separation and reduction") and Struth's (2002, on the Church-Rosser theorem). Names in common use are kept.

level kleene;

action u, v, w, x, y, z;

// The axioms.

axiom star_unfold : 1 + x x* = x*;
axiom star_unfold_right : 1 + x* x = x*;
axiom star_induction [z + x y <= y] : x* z <= y;
axiom star_induction_right [z + y x <= y] : z x* <= y;

// The same in Stoller & Cohen's words.

axiom star : x* = 1 + x + x* x*;
axiom star_induction_equal [x y <= y] : x* y = y;
axiom star_induction_equal_right [x y <= x] : x y* = x;

// First consequences.

identity star_of_zero : 0* = 1;
identity star_of_one : 1* = 1;
identity star_above_one : 1 <= x*;
identity star_extensive : x <= x*;
identity star_transitive : x* x* = x*;
identity star_idempotent : (x*)* = x*;
identity star_isotone [x <= y] : x* <= y*;
identity star_with_one : (1 + x)* = x*;
identity star_slide_self : x x* = x* x;
identity star_of_plus : (x x*)* = x*;
identity star_absorbs_power : x x x <= x*;
identity star_plus_square : x x* x* = x x*;
identity star_least_closure [1 + x + y y <= y] : x* <= y;
identity star_unfold_both : x* = 1 + x + x x* x;

// Sliding, denesting, unfolding.

identity star_slide : (x y)* x = x (y x)*;
identity star_product_unfold : (x y)* = 1 + x (y x)* y;
identity star_denest : (x + y)* = x* (y x*)*;
identity star_denest_right : (x + y)* = (x* y)* x*;
identity star_denest_product : (x + y)* = (x* y*)*;
identity star_denest_sum : (x + y)* = (x* + y*)*;
identity star_denest_swap : (x* y*)* = (y* x*)*;
identity star_denest_unfold : (x* y)* = 1 + (x + y)* y;
identity star_sum_unfold : (x + y)* = x* + x* y (x + y)*;
identity star_sum_absorbs : (x + y)* x* y* = (x + y)*;
identity star_below_sum : x* + y* <= (x + y)*;
identity star_product_below_sum : x* y* <= (x + y)*;
identity troeger : (x + y)* z = x* (y (x + y)* z + z);
identity star_three : (x + y + z)* = x* (y x*)* (z x* (y x*)*)*;

// Powers.

identity star_by_squares : x* = (1 + x) (x x)*;
identity star_by_cubes : x* = (1 + x + x x) (x x x)*;
identity star_of_square : (x x)* <= x*;
identity star_even_odd : x* = (x x)* + x (x x)*;
identity star_two_and_three : (x x + x x x)* = 1 + x x x*;
identity star_coprime : (x x)* (x x x)* = 1 + x x x*;
identity star_of_square_slides : x (x x)* = (x x)* x;

// Closures.

identity star_closed [x <= y*] : x* <= y*;
identity star_closed_product [x <= z*, y <= z*] : x y <= z*;
identity star_closed_sum [x <= z*, y <= z*] : (x + y)* <= z*;
identity star_of_preorder [1 <= x, x x <= x] : x* = x;
identity star_of_transitive [x x <= x] : x* = 1 + x;
identity boffa [x x = x] : x* = 1 + x;
identity star_of_periodic [x x x <= x] : x* = 1 + x + x x;
identity star_below_one [x <= 1] : x* = 1;
identity star_absorbs_below [y <= x] : (x + y)* = x*;
identity star_absorbs_reachable [y <= x*] : (x + y)* = x*;
identity arden_least [y = x y + z] : x* z <= y;
identity no_sequel [x y = 0] : x* y = y;
identity no_sequel_right [x y = 0] : x y* = x;
identity separate_zero [x y = 0] : (x + y)* = y* x*;
identity once_only [x x = 0] : x* = 1 + x;

// Simulation and commutation. The first two are (1) and (2) of Stoller & Cohen.

identity eq1 [x y <= y z] : x* y <= y z*;
identity eq2 [y x <= x y] : (x + y)* <= x* y*;
identity simulation_right [y z <= x y] : y z* <= x* y;
identity simulation_equal [x y = y z] : x* y = y z*;
identity commutes [x y = y x] : x* y = y x*;
identity stars_commute [x y = y x] : x* y* = y* x*;
identity bubble_sort [y x <= x y] : (x + y)* = x* y*;
identity bubble_sort_three [y x <= x y, z x <= x z, z y <= y z] : (x + y + z)* = x* y* z*;
identity commutation_lifts [y x <= x y] : y* x* <= x* y*;
identity commutation_lifts_weak [y x <= x* y] : y* x* <= x* y*;
identity commutation_with_own_star [x y <= y x*] : x* y <= y x*;
identity church_rosser [y* x* <= x* y*] : (x + y)* = x* y*;
identity church_rosser_strip [y x* <= x* y*] : (x + y)* = x* y*;
identity confluence_to_strip [y* x* <= x* y*] : y x* <= x* y*;
identity confluence_to_local [y* x* <= x* y*] : y x <= x* y*;
identity quasi_commutation [y x <= x (x + y)*] : y* x <= x (x + y)*;
identity star_of_product_commuting [x y = y x] : (x y)* <= x* y*;
identity sum_moves_past [x u <= u x, y u <= u y] : (x + y)* u <= u (x + y)*;
identity moves_past_loop [x u <= u x, x v <= v x] : x (u + v)* <= (u + v)* x;
identity loop_moves_past_product [x u <= u y, y v <= v z] : x* u v <= u v z*;
identity right_mover [x y <= y x, x z <= z x] : x* (y + z)* <= (y + z)* x*;
identity left_mover_first [y x <= x y, x x = x] : (x + y)* <= (1 + x) y*;
identity absorbing_step [z x <= z, y z <= z] : y* z x* = z;
identity ignored_step [z x <= z] : z (x + y)* = z (y x*)*;
identity invariant_of_both [z x <= z, z y <= z] : z (x + y)* = z;

// False ones.

fails star_of_sum : (x + y)* = x* y*;
fails star_of_sum_splits : (x + y)* <= x* + y*;
fails star_of_product : (x y)* <= x* y*;
fails star_of_product_back : x* y* <= (x y)*;
fails stars_commute_always : x* y* <= y* x*;
fails star_is_plus : x* = x x*;
fails star_slide_wrong : (x y)* = (y x)*;
fails star_injective [x* = y*] : x = y;
fails simulation_backwards [x y <= y z] : y z* <= x* y;
fails local_confluence [y x <= x* y*] : y* x* <= x* y*;
fails square_closure : x* <= (x x)*;
fails arden_unique [y = x y + z] : y <= x* z;
fails quasi_commutation_separates [y x <= x (x + y)*] : (x + y)* <= x* y*;
fails zero_the_other_way [x y = 0] : (x + y)* = x* y*;
