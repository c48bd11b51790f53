// Idempotent semirings: choice and sequence, without loops.
//
// The axioms are those that every level of this library has (Stoller & Cohen 2003, section 2; Kozen 1994). Everything else
// here follows from them by distributing products over sums; what has premises uses them as rules on the monomials of the
// left side.
// Names of laws about three-place statements `x u <= u y` follow the rules of propositional Hoare logic (Kozen 2000).

level semiring;

action u, v, w, x, y, z;

// The axioms.

axiom sum_associative : x + (y + z) = (x + y) + z;
axiom sum_commutative : x + y = y + x;
axiom sum_idempotent : x + x = x;
axiom sum_zero : x + 0 = x;
axiom product_associative : x (y z) = (x y) z;
axiom product_one : 1 x = x = x 1;
axiom product_zero : 0 x = 0 = x 0;
axiom distributive_left : x (y + z) = x y + x z;
axiom distributive_right : (x + y) z = x z + y z;

// The order: `x <= y` says no more than `x + y = y`.

identity order [x + y = y] : x <= y;
identity order_back [x <= y] : x + y = y;
identity transitive [x <= y, y <= z] : x <= z;
identity antisymmetric [x <= y, y <= x] : x = y;
identity zero_least : 0 <= x;
identity sum_upper : x <= x + y;
identity sum_least [x <= z, y <= z] : x + y <= z;
identity sum_isotone [x <= y] : x + z <= y + z;
identity sum_isotone_both [u <= x, v <= y] : u + v <= x + y;
identity product_isotone_left [x <= y] : x z <= y z;
identity product_isotone_right [x <= y] : z x <= z y;
identity product_isotone_both [u <= x, v <= y] : u v <= x y;
identity subdistributive : z x + z y <= z (x + y);
identity sandwich [x <= y, y <= z, z <= x] : x = z;

// Sums of products.

identity product_of_sums : (u + v) (x + y) = u x + u y + v x + v y;
identity square_of_sum : (x + y) (x + y) = x x + x y + y x + y y;
identity square_with_one : (1 + x) (1 + x) = 1 + x + x x;
identity cube_with_one : (1 + x) (1 + x) (1 + x) = 1 + x + x x + x x x;
identity common_factor : x y z + x w z = x (y + w) z;
identity interchange : u x + v y <= (u + v) (x + y);

// Below and above 1.

identity below_one [x <= 1] : x y <= y;
identity below_one_right [x <= 1] : y x <= y;
identity above_one [1 <= x] : y <= x y;
identity below_one_product [x <= 1, y <= 1] : x y <= 1;
identity below_one_square [x <= 1] : x x <= x;
identity above_one_square [1 <= x] : x <= x x;
identity above_one_sum [1 <= x, 1 <= y] : x + y <= x y;

// Nothing from nothing.

identity sum_is_zero [x + y = 0] : x = 0;
identity below_zero [x <= 0] : x = 0;
identity annihilated_below [x y = 0, z <= y] : x z = 0;
identity annihilated_sum [x y = 0, x z = 0] : x (y + z) = 0;
identity annihilated_context [x y = 0] : z x y w = 0;
identity annihilated_square [x y = 0] : (x + y) (x + y) = x x + y x + y y;

// Equations between words.

identity inverse_unique [x y = 1, z x = 1] : y = z;
identity inverse_of_product [x u = 1, y v = 1] : x y v u = 1;
identity commutes_with_product [x y = y x, x z = z x] : x y z = y z x;
identity commutes_with_sum [x y = y x, x z = z x] : x (y + z) = (y + z) x;
identity commutes_with_square [x y = y x] : x y y = y y x;
identity power_of_product [x y = y x] : x y x y = x x y y;
identity binomial [x y = y x] : (x + y) (x + y) = x x + x y + y y;
identity cube_of_product [x y = y x] : x y x y x y = x x x y y y;
identity absorbed_twice [x y = x] : x y y = x;
identity shuffle [x u = u x, x v = v x, y u = u y, y v = v y] : x y u v = u v x y;

// Inclusions of words as rules.

identity moves_past_product [y x <= x y, z x <= x z] : y z x <= x y z;
identity moves_past_sum [y x <= x y, z x <= x z] : (y + z) x <= x (y + z);
identity cut [x <= y z, z w <= v] : x w <= y v;
identity cut_twice [x <= y y, y z <= w] : x z <= y w;
identity skip : x 1 <= 1 x;
identity sequence [x u <= u y, y v <= v z] : x u v <= u v z;
identity choice [x u <= u y, x v <= v y] : x (u + v) <= (u + v) y;
identity consequence [w <= x, x u <= u y, y <= z] : w u <= u z;
identity export_below [x y <= y x y, x y z <= z w] : x y z <= y z w;

// False ones.

fails commutative : x y = y x;
fails idempotent_below : x x <= x;
fails idempotent_above : x <= x x;
fails one_least : 1 <= x;
fails one_greatest : x <= 1;
fails sum_over_product : x + y z = (x + y) (x + z);
fails interchange_back : (u + v) (x + y) <= u x + v y;
fails cancel_left [x y <= x z] : y <= z;
fails cancel_sum [x + y = x + z] : y = z;
fails no_zero_divisors [x y = 0] : y x = 0;
fails nilpotent [x x = 0] : x = 0;
fails commutation_back [x y <= y x] : y x <= x y;
fails transitive_below_one [x x <= x] : x <= 1;
fails converse_of_order [x y <= x] : y <= 1;

// True of all relations, but not of all idempotent semirings: there the parts of 1 need not be idempotent, nor commute.

open below_one_idempotent [x <= 1] : x = x x;
open below_one_commutes [x <= 1, y <= 1] : x y = y x;
