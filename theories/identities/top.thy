// Kleene algebra with tests and a greatest element.
//
// `T` relates every two states (Pous & Wagemaker 2022, who also eliminate `e = 0` by it). `x T` says where x is enabled, so
// `p T <= x T` is "x is enabled where p holds". The laws about `(1 + x) q T` are those that the proof of Stoller & Cohen's
// reduction theorem uses of `R`, what happens once the discipline is violated.

level top;

action x, y, z;
test p, q, r;

// The axiom.

axiom top_greatest : x <= T;

// Products with T.

identity top_idempotent : T T = T;
identity star_of_top : T* = T;
identity top_absorbs_star : x* T = T = T x*;
identity top_sum : x + T = T;
identity enabled_twice : x T T = x T;
identity enabled_sum : (x + y) T = x T + y T;
identity enabled_product : x y T <= x T;
identity enabled_test : p x T <= p T;
identity enabled_below [x <= y] : x T <= y T;
identity between : x <= T x T;
identity star_of_enabled : (x T)* = 1 + x T;
identity star_of_reached : (T x)* = 1 + T x;
identity star_of_jump : (x T y)* = 1 + x T y;
identity star_with_jump : (x + y T)* = x* + x* y T;
identity square_of_jump : x T y x T y <= x T y;
identity zero_if_enabled_nowhere [x T = 0] : x = 0;
identity zero_between [T x T = 0] : x = 0;

// Conditions as `p T`.

identity test_by_top [p T <= q T] : p <= q;
identity test_product_top : p q T <= q T;
identity top_excluded_middle : p T + ~p T = T;
identity enabled_only_under [x T <= p T] : x = p x;
identity reaches_only [T x <= T p] : x = x p;
identity not_enabled [p x = 0] : p x T = 0;
identity enabled_under [x <= p x] : x T <= p T;
identity precondition [p x T <= q T] : p x = q p x;

// Totality.

identity total_product [1 <= x T, 1 <= y T] : 1 <= x y T;
identity total_guarded [p <= x T] : p <= p x T;
identity total_under [p <= x q T, q <= y T] : p <= x y T;
identity total_sum [1 <= x T] : 1 <= (x + y) T;
identity total_or_stops [1 <= p + x T] : T = (p + x) T;
identity stops_where_not_enabled [1 <= p + x T] : ~p <= x T;
identity goes_on_under [1 <= p + x T, q x <= x q] : q T <= (p + x) q T;

// Reaching p, and reaching it for the first time.

identity first_time : x* p T = (~p x)* p T;
identity first_time_or_now : x* p T = p T + ~p x x* p T;
identity reach_or_pass : (x + y)* p T = x* p T + x* y (x + y)* p T;
identity unreachable [p x ~p = 0, p q = 0] : p x* q T = 0;
identity reach_through [q x ~q = 0] : q x* p T <= x* p q T;
identity reach_below [y <= x*] : y* p T <= x* p T;
identity reach_commuting [y x <= x y, y p <= p y] : y* x* p T <= x* p T;

// `e = 0` compiled away, and back.

identity eliminated [x <= y + T z T, z = 0] : x <= y;
identity eliminated_test [p x <= y + T q T, q = 0] : p x <= y;
identity test_as_zero : p x <= q x + T p ~q T;

// What happens once q does.

identity violated_square : (1 + x) q T (1 + x) q T <= (1 + x) q T;
identity violated_absorbs : (1 + x) q T y <= (1 + x) q T;
identity violated_star : ((1 + x) q T)* = 1 + (1 + x) q T;
identity violated_outcome : (1 + (1 + x) q T) q <= (1 + x) q T;
identity violated_before : x q T <= (1 + x) q T;
identity or_violated : (x + x q T + q T)* = x* + x* q T;
identity mover_past_loop [y x <= x (q T + y + y q T)] : y* x <= x (y* + y* q T);

// False ones.

fails everything_enabled : x T = T;
fails enabled_is_reached : x T = T x;
fails top_between : T x T = T;
fails top_after : T x T <= x T;
fails test_moves_past_top : p T = T p;
fails enabled_is_action : x T <= x;
fails enabled_everywhere : 1 <= p + x T;
fails enabled_decides [x T = y T] : x = y;
fails enabled_product_back : x T y T <= x y T;
fails jump_without_middle : x T y <= x y;
fails reach_always : p T <= x* q T;
fails first_time_as_action : x* p = (~p x)* p;

// True of all relations, but not consequences of the axioms, which languages satisfy, too.

open tarski : x <= x T x;
open jumps_commute : T x T y T = T y T x T;
open enabled_square : x T <= x T x T;
