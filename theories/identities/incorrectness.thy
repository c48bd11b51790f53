// Kleene algebra with tests and top: incorrectness logic, and what is reached and enabled.
//
// Zhang, de Amorim & Gaboardi 2022, "On incorrectness logic and Kleene algebra with top and tests"; O'Hearn 2020, "Incorrectness logic";
// de Vries & Koutavas 2011, "Reverse Hoare logic"; Moeller, O'Hearn & Hoare 2021, "On algebra of program correctness and
// incorrectness". A triple [p] x [q] says that every state of q is reached by x from one of p: `T q <= T p x`.

use tests;
use top;

level top;

action x, y, z;
test e, p, q, r, s;

// The triple and its forms.

identity under_skip : T p <= T p 1;
identity under_empty : T 0 <= T p x;
identity under_shrink [T q <= T p x, r <= q] : T r <= T p x;
identity under_grow [T q <= T p x, p <= r] : T q <= T r x;
identity under_consequence [T q <= T p x, p <= r, s <= q] : T s <= T r x;
identity under_disjunction [T q <= T p x, T s <= T r x] : T (q + s) <= T (p + r) x;
identity under_larger_program [T q <= T p x, x <= y] : T q <= T p y;
identity under_sequence [T q <= T p x, T r <= T q y] : T r <= T p x y;
identity under_sequence_of_three [T q <= T p x, T r <= T q y, T s <= T r z] : T s <= T p x y z;
identity under_choice_left [T q <= T p x] : T q <= T p (x + y);
identity under_choice_right [T q <= T p y] : T q <= T p (x + y);
identity under_conditional_then [T q <= T (p e) x] : T q <= T p (e x + ~e y);
identity under_conditional_else [T q <= T (p ~e) y] : T q <= T p (e x + ~e y);
identity under_loop_zero : T p <= T p x*;
identity under_loop_unrolled [T q <= T p x* x] : T q <= T p x*;
identity under_loop_once [T q <= T p x] : T q <= T p x*;
identity under_loop_twice [T q <= T p x, T r <= T q x] : T r <= T p x*;
identity under_loop_invariant [T q <= T p x*, T r <= T q x*] : T r <= T p x*;
identity under_while_not_entered : T (p ~e) <= T p (e x)* ~e;
identity under_while_once [T q <= T (p e) x] : T (q ~e) <= T p (e x)* ~e;
identity under_empty_source [T q <= T 0 x] : q = 0;
identity under_without_top [q <= T p x] : T q <= T p x;
identity under_repeat [T q <= T p x, T p <= T q y] : T p <= T p x y;

// Correctness and incorrectness meet.

identity meet_agreement [T q <= T p x, p x ~r = 0] : q <= r;
identity meet_denial [T q <= T p x, p x ~r = 0, q r = 0] : q = 0;
identity meet_exact [T q <= T p x, p x ~q = 0] : T q = T p x;
identity meet_top_correct [T p x <= T q] : p x ~q = 0;
identity meet_correct_top [p x ~q = 0] : T p x <= T q;
identity meet_exact_sequence [T p x = T q, T q y = T r] : T p x y = T r;
identity meet_exact_choice [T p x = T q, T p y = T r] : T p (x + y) = T (q + r);
identity meet_exact_loop [T p x = T p] : T p x* = T p;
identity meet_exact_test : T p e = T (p e);

// What is enabled: outcomes `x q T` for some run, and total correctness for deterministic programs.

identity angelic_sequence [p T <= x q T, q T <= y r T] : p T <= x y r T;
identity angelic_choice [p T <= x q T] : p T <= (x + y) q T;
identity angelic_consequence [r <= p, p T <= x q T, q <= s] : r T <= x s T;
identity angelic_conditional [p e T <= x q T, p ~e T <= y q T] : p T <= (e x + ~e y) q T;
identity angelic_loop_end [p ~e T <= q T] : p ~e T <= (e x)* ~e q T;
identity angelic_loop_step [p e T <= x r T, r T <= (e x)* ~e q T] : p e T <= (e x)* ~e q T;
identity angelic_disjunction [p T <= x q T, r T <= x s T] : (p + r) T <= x (q + s) T;
identity angelic_invariant [p T <= x p T] : p T <= x x p T;
identity angelic_from_any [1 <= x T] : p T <= p x T;
identity angelic_and_correct [p T <= x T, p x ~q = 0] : p T <= x q T;
identity angelic_loop_and_correct [p T <= x* T, p x ~p = 0] : p T <= p x* p T;
identity angelic_by_refinement [p T <= x q T, x <= y] : p T <= y q T;
identity angelic_never [p T <= x q T, x q = 0] : p = 0;

// What is reached.

identity reached_sum : T (x + y) = T x + T y;
identity reached_step : T p x x* <= T p x*;
identity reached_closed [T p x <= T p] : T p x* = T p;
identity reached_least [T p <= T q, T q x <= T q] : T p x* <= T q;
identity reached_by_parts [T p x <= T q, T q y <= T r] : T p x y <= T r;
identity reached_bound [p x ~q = 0] : T p x = T p x q;
identity reached_never [T p x* q = 0] : p x q = 0;
identity reached_invariant [T p x <= T p, p q = 0] : p x* q = 0;
identity reached_backwards [x q T <= q T] : x* q T = q T;
identity reached_backwards_least [p T <= q T, x q T <= q T] : x* p T <= q T;
identity reached_forward_backward [T p x* q T = 0] : p x* q = 0;

// Jumps `x T y`: start with x, arrive with y, nothing said of between.

identity jump_isotone [x <= y] : x T z <= y T z;
identity jump_sum : (x + y) T z = x T z + y T z;
identity jump_then_jump : x T y z T x <= x T x;
identity jump_square_below : (x T y) (x T y) <= x T y;
identity jump_star_absorbs [z x <= x] : z* x T y = x T y;
identity jump_loop : (p T q)* = 1 + p T q;
identity jump_tests_split : p T = p T q + p T ~q;
identity jump_stays_zero [x T y = 0] : x y = 0;
identity jump_zero_twice [x T y = 0] : x z y = 0;

// False ones.

fails under_weaken [T q <= T p x, q <= r] : T r <= T p x;
fails under_strengthen [T q <= T p x, r <= p] : T q <= T r x;
fails under_smaller_program [T q <= T p x, y <= x] : T q <= T p y;
fails under_conjunction [T q <= T p x, T s <= T r x] : T (q s) <= T (p r) x;
fails under_forwards [T q <= T p x] : p x ~q = 0;
fails under_backwards [T q <= T p x] : p <= x q T;
fails under_of_correct [p x ~q = 0] : T q <= T p x;
fails under_loop_any : T p <= T p x x*;
fails angelic_not_demonic [p T <= x q T] : p x ~q = 0;
fails angelic_conjunction [p T <= x q T, p T <= x r T] : p T <= x q r T;
fails angelic_smaller [p T <= x q T, y <= x] : p T <= y q T;
fails reached_is_enabled [p T <= x q T] : T q <= T p x;
fails reached_commutes : T p x = T x p;
fails jump_meets : x T y T z <= x T y;
fails jump_zero_apart [x y = 0] : x T y = 0;
