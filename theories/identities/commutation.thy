// Kleene algebra: one relation moved past another.
//
// Struth 2002, "Calculating Church-Rosser proofs in Kleene algebra", and 2006, "Abstract abstract reduction"; Hindley 1964 and Rosen 1973
// (unions of commuting relations), Huet 1980 (strong confluence), Staples 1975 and Geser 1990 (requests, refinement); Cohen 1994,
// "Hypotheses in Kleene algebra", and 2000, "Separation and reduction"; simulations as in Lynch & Vaandrager 1995 and de Roever & Engelhardt
// 1998. Where u and v stand, they may be read as the converses of x and y; nothing needs that.

use kleene;

level kleene;

action a, b, c, d, g, m, n, u, v, w, x, y, z;

// Commutation of x and y, `y* x* <= x* y*`, from what can be seen of single steps.

identity commute_huet_strip [h : y x <= x* (1 + y)] : y x* <= x* (1 + y) by h, induction;
identity commute_huet [h : y x <= x* (1 + y)] : y* x* <= x* y* by h, commute_huet_strip, induction;
identity commute_huet_mirrored_strip [h : y x <= (1 + x) y*] : y* x <= (1 + x) y* by h, induction;
identity commute_huet_mirrored [h : y x <= (1 + x) y*] : y* x* <= x* y*
    by h, commute_huet_mirrored_strip, induction;
identity commute_one_or_none [h : y x <= (1 + x) (1 + y)] : y* x* <= x* y*
    by h, commute_huet_strip, induction;
identity commute_requests [y x <= x y*] : y* x* <= x* y*;
identity commute_requests_mirrored [y x <= x* y] : y x* <= x* y;
identity commute_star_left [y* x <= x* y*] : y* x* <= x* y*;
identity commute_cancel_strip [h : y x <= 1] : y x* <= y + x* by h, induction;
identity commute_cancel [y x <= 1] : y* x* <= x* + y*;
identity commute_cancel_both [h : y x <= 1] : (x + y)* = x* y* by h, commute_huet, church_rosser;
identity commute_absorb [y x <= x] : (x + y)* = x* y*;
identity commute_absorb_other [y x <= y] : (x + y)* = x* y*;
identity commute_absorb_either [h : y x <= x + y] : (x + y)* = x* y* by h, commute_huet, church_rosser;
identity commute_symmetric [x y = y x] : (x + y)* = y* x*;
identity commute_zero [y x = 0] : y* x* = x* + y*;
identity commute_zero_sum [y x = 0] : (x + y)* = 1 + x x* + x* y y*;
identity commute_plus_steps [y x <= x y] : y y* x x* <= x x* y y*;
identity commute_power [y x <= x y] : y y x x <= x x y y;
identity commute_square [y x <= x y] : (x y) (x y) <= x x y y;

// Church-Rosser and its variants: x with its converse u.

identity confluence_semi [u x* <= x* u*] : u* x* <= x* u*;
identity confluence_of_church_rosser [(x + u)* <= x* u*] : u* x* <= x* u*;
identity strip_of_church_rosser [(x + u)* <= x* u*] : u x* <= x* u*;
identity confluence_of_star [u* x* <= x* u*] : (u*)* (x*)* <= (x*)* (u*)*;
identity confluence_from_star [(u*)* (x*)* <= (x*)* (u*)*] : u* x* <= x* u*;
identity confluence_diamond_reflexive [h : u x <= 1 + x + u + x u] : (x + u)* <= x* u*
    by h, commute_huet(y := u), church_rosser(y := u);
identity confluence_between [x <= y, y <= x*, u <= v, v <= u*, v y <= y v] : u* x* <= x* u*;
identity confluence_compatible [y <= x*, v <= u*, (x + u)* <= x* u*] : v* y* <= x* u*;

// Unions: Hindley and Rosen, Staples, requests.

identity union_right [y* x* <= x* y*, z* x* <= x* z*] : (y + z)* x* <= x* (y + z)*;
identity union_left [z* x* <= x* z*, z* y* <= y* z*] : z* (x + y)* <= (x + y)* z*;
identity union_hindley_rosen [u* x* <= x* u*, v* y* <= y* v*, u* y* <= y* u*, v* x* <= x* v*] :
    (u + v)* (x + y)* <= (x + y)* (u + v)*;
identity union_hindley_rosen_step [u x <= x u, v y <= y v, u y <= y u, v x <= x v] :
    (u + v) (x + y) <= (x + y) (u + v);
identity union_hindley_rosen_strong [u x <= x u, v y <= y v, u y <= y u, v x <= x v] :
    (u + v)* (x + y)* <= (x + y)* (u + v)*;
identity union_hindley_rosen_church_rosser
    [xx : u* x* <= x* u*, yy : v* y* <= y* v*, xy : u* y* <= y* u*, yx : v* x* <= x* v*] :
    (x + y + u + v)* = (x + y)* (u + v)*
    by xx, yy, xy, yx, union_hindley_rosen, church_rosser(x := x + y, y := u + v);
identity union_sorted [y x <= x y, z x <= x z] : (x + y + z)* = x* (y + z)*;
identity union_sorted_last [z x <= x z, z y <= y z] : (x + y + z)* = (x + y)* z*;
identity union_sorted_four
    [b a <= a b, c a <= a c, d a <= a d, c b <= b c, d b <= b d, d c <= c d] :
    (a + b + c + d)* = a* b* c* d*;
identity union_of_two_pairs [ca : c a <= a c, cb : c b <= b c, da : d a <= a d, db : d b <= b d] :
    (a + b + c + d)* = (a + b)* (c + d)*
    by ca, cb, da, db, union_hindley_rosen_strong(u := c, v := d, x := a, y := b), church_rosser(x := a + b, y := c + d);
identity union_product [y x <= x y, y z <= z y] : y* (x z)* <= (x z)* y*;
identity union_either_way [x y = y x, x z = z x] : x* (y + z)* = (y + z)* x*;

// Separation: what is done first, and what may be left.

identity separate_quasi [y x <= x (x + y)*] : (x + y)* = x* (x + y)* y*;
identity separate_postponed [y x <= (x + y)* y] : y x* <= (x + y)* y;
identity separate_postponed_all [y x <= x* y] : (x + y)* = x* y*;
identity separate_advanced [y x <= x y*] : (x + y)* = x* y*;
identity separate_guarded [z y = 0, y x <= x y] : z (x + y)* = z + z x (x + y)*;
identity separate_first [z y = 0, y x <= x y] : z (x + y)* = z (1 + x x* y*);
identity separate_last [x z = 0, y x <= x y] : (x + y)* z = (1 + x* y y*) z;
identity separate_useless [z y <= z, y x <= x y] : z (x + y)* = z x* y*;
identity separate_absorbed [y z <= z, y x <= x y] : (x + y)* z = x* z;
identity separate_absorbed_before [z x <= z, y x <= x y] : z (x + y)* = z y*;
identity separate_below [x <= y, y y <= y] : (x + y)* = 1 + y;
identity separate_three [y x <= x y, z x = 0, z y <= y z] : (x + y + z)* = x* y* z*;
identity separate_alternating [x x = 0, y y = 0] : (x + y)* = (1 + y) (x y)* (1 + x);
identity separate_once_each [x x = 0, y y = 0, y x = 0] : (x + y)* = 1 + x + y + x y;
identity separate_idempotents [x x = x, y y = y, y x <= x y] : (x + y)* = 1 + x + y + x y;
identity separate_bands [x x = x, y y = y, x y x = x, y x y = y] : (x + y)* = 1 + x + y + x y + y x;

// Simulations. z relates states of one system to those of another.

identity simulate_forward_stuttering [z x <= y* z] : z x* <= y* z;
identity simulate_forward_or_skip [z x <= z + y z] : z x* <= y* z;
identity simulate_backward_stuttering [x z <= z y*] : x* z <= z y*;
identity simulate_bisimulation [z x = y z] : z x* = y* z;
identity simulate_transitive [w z <= m, z x <= y z, w y <= n w] : w z x* <= n* m;
identity simulate_choice [z x <= u z, z y <= v z] : z (x + y)* <= (u + v)* z;
identity simulate_sequence [z x <= u z, z y <= v z] : z x y <= u v z;
identity simulate_loop_of_sequence [z x <= u z, z y <= v z] : z (x y)* <= (u v)* z;
identity simulate_nested [z x <= u z, z y <= v z] : z (x y*)* <= (u v*)* z;
identity simulate_run_forward [a <= b z, z x <= y z, z c <= g] : a x* c <= b y* g;
identity simulate_run_backward [a z <= b, x z <= z y, c <= z g] : a x* c <= b y* g;
identity simulate_with_hidden [z x <= y z, z a <= z] : z (x + a)* <= y* z;
identity simulate_run_with_hidden [start : m <= b z, step : z x <= y z, skip : z a <= z, last : z c <= g] :
    m (x + a)* c <= b y* g by start, step, skip, last, simulate_with_hidden;
identity simulate_run_with_hidden_above [a <= n z, z x <= b* y z, z c <= g] :
    a x* c <= n (b + y)* g;
identity simulate_with_invariant [a <= a m, m x <= m x m, m x m <= y] : a x* <= a y* m;
identity simulate_refine_step [x <= y, a <= b] : a x* <= b y*;
identity simulate_identity_on_results [a z <= b, x z <= z y] : a x* z <= b y*;
identity simulate_two_layers [a <= b m, m x <= y m, b <= c n, n y <= w n] : a x* <= c w* n m;
identity simulate_sum_of_relations [m x <= y m, n x <= y n] : (m + n) x* <= y* (m + n);
identity simulate_to_one_step [z x <= y z, y y <= y] : z x x* <= y z;

// Conjugation: u undoes x.

identity inverse_loop [u x = 1] : (x y u)* x = x y*;
identity inverse_loop_right [u x = 1] : u (x y u)* = y* u;
identity inverse_conjugate [left : u x = 1, right : x u = 1] :
    (x y u)* = (x y u)* x u by right
             = x y* u by left, inverse_loop;
identity inverse_conjugate_product [u x = 1] : (x y u) (x z u) = x y z u;
identity inverse_conjugate_below [x u <= 1] : u x y* <= u x y* + (u x)*;
identity inverse_retract [u x = 1, x u <= 1] : (x y u)* <= 1 + x y* u;
identity inverse_commutes [u x = 1, x u = 1, x y = y x] : u y = y u;
identity inverse_commutes_star [u x = 1, x u = 1, x y = y x] : u* y = y u*;
identity inverse_of_idempotent [u x = 1, x x = x] : x = 1;

// Transitive closures, written `x x*`.

identity plus_least [x <= y, y y <= y] : x x* <= y;
identity plus_isotone [x <= y] : x x* <= y y*;
identity plus_of_transitive [x x <= x] : x x* = x;
identity plus_commutes [y x <= x y] : y* x x* <= x x* y*;
identity plus_slides [x y = y z] : x x* y = y z z*;
identity plus_of_union [y x <= x y] : (x + y) (x + y)* = x x* y* + y y*;
identity plus_equivalence_strip [h : x u <= 1 + x + u] : x u* <= x + u* by h, induction;
identity plus_equivalence [h : x u <= 1 + x + u, k : u x <= 1 + x + u] : (x + u)* = x* + u*
    by h, k, plus_equivalence_strip, plus_equivalence_strip(x := u, u := x), induction;
identity plus_dense [x <= x x] : x x* = x x x*;
identity plus_no_return [x y x* = 0] : x y* x = x x;
identity plus_regular [x y x = x] : (x y)* = 1 + x y;
identity plus_reflexive_transitive [1 <= z, z z <= z, x <= z] : z x* z = z;

// False ones.

fails commute_not_enough [y x <= (x + y)*] : y* x* <= x* y*;
fails commute_back [y* x* <= x* y*] : y x <= x y;
fails commute_other_way [y x <= x y] : x* y* <= y* x*;
fails commute_many_both [y x <= x x y y] : y x* <= x* y;
fails commute_plus [y x <= x x* y y*] : y x* <= x* y*;
fails commute_weakly [y x <= x* y*] : y x* <= x* y*;
fails commute_step_for_star [y* x* <= x* y*] : y x <= x y*;
fails confluence_of_union [u* x* <= x* u*, v* y* <= y* v*] : (u + v)* (x + y)* <= (x + y)* (u + v)*;
fails confluence_compatible_wrong [u* x* <= x* u*, y <= x, v <= u] : v* y* <= y* v*;
fails union_one_missing [u* x* <= x* u*, v* y* <= y* v*, u* y* <= y* u*] :
    (u + v)* (x + y)* <= (x + y)* (u + v)*;
fails union_not_transitive [y x <= x y, z y <= y z] : (x + y + z)* = x* y* z*;
fails separate_postponed_wrong [y x <= (x + y)* y] : (x + y)* = x* y*;
fails separate_alternating_wrong [x x = 0] : (x + y)* = (1 + y) (x y)* (1 + x);
fails separate_first_wrong [z y = 0] : z (x + y)* = z x* y*;
fails simulate_converse [z x <= y z] : y* z <= z x*;
fails simulate_mixed [z x <= y z] : x* z <= z y*;
fails simulate_finals_missing [a <= b z, z x <= y z] : a x* <= b y*;
fails simulate_invariant_unused [m x <= m x m, m x m <= y] : x* <= y*;
fails plus_regular_star [x y x = x] : x* = 1 + x;
fails plus_equivalence_wrong [x u <= 1 + x + u] : (x + u)* = x* + u*;
