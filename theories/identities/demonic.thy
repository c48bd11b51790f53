// Demonic refinement algebra: programs that may go on for ever, where x 0 = 0 need not hold.
// von Wright, Towards a refinement algebra (2004); Hoefner & Struth, On automating the calculus of relations (2008).
// x # 1 is strong iteration: x, any number of times or for ever; x # 0 is what goes on for ever.
level demonic;
action a, b, c, m, n, w, x, y, z;

// The axioms.
axiom zero_is_least : 0 <= x;
axiom zero_at_left : 0 x = 0;
axiom iteration_unfolds : x # 1 = 1 + x (x # 1);
axiom isolation : x # 1 = x* + (x # 1) 0;
axiom coinduction [z <= x z + y] : z <= (x # 1) y;
axiom star_unfolds : x* = 1 + x x*;
axiom star_induction_left [y + x z <= z] : x* y <= z;
axiom star_induction_right [y + z x <= z] : y x* <= z;
fails zero_at_right : x 0 = 0;
fails zero_ends : x* 0 = 0;

// The greatest element, and what is never left.
identity greatest : x <= 1 # 1 = T;
identity nothing_behind_top : T x = T;
identity top_goes_on : T 0 = T;
identity for_ever : x # 0 = x^w;
identity for_ever_is_left : (x # 0) y = x # 0;
identity hash : x # y = (x # 1) y = (x # 0) + x* y;
fails top_before : x T = T;

// Iteration.
identity zero_iterated : 0 # 1 = 1;
identity unfold_right : x # 1 = 1 + (x # 1) x;
identity star_below : x* <= x # 1;
identity idempotent : (x # 1) (x # 1) = x # 1;
identity iterated_twice : (x # 1) # 1 = T;
identity star_iterated : x* # 1 = T;
identity iteration_starred : (x # 1)* = x # 1;
identity star_before : x* (x # 1) = x # 1;
identity star_behind : (x # 1) x* = x # 1;
identity isotone [x <= y] : x # 1 <= y # 1;
identity leapfrog : (x y # 1) x = x (y x # 1);
identity product : x y # 1 = 1 + x (y x # 1) y;
identity decomposition : (x + y) # 1 = (x # 1) (y (x # 1) # 1);
identity decomposition_star : (x + y) # 1 = (x* y # 1) (x # 1);
identity last : x* y # 1 = y* (x* y # 1);
identity ended_once : x 0 # 1 = 1 + x 0;
identity ended_star : (x 0)* = 1 + x 0;
fails iteration_is_star : x # 1 = x*;
fails iteration_of_product : x y # 1 <= (x # 1) (y # 1);

// What a program has that goes wrong, its beginnings have.
identity beginning : x* 0 <= (x x)*;
identity beginning_of_one : x 0 <= x;
identity beginning_before : x 0 <= x y;
identity infinite_below [x # 0 <= y] : x # 0 <= y 0;
fails other_beginning : (x x)* 0 <= (x y)* + y;

// Simulation, and what passes.
identity simulation [x y <= z x] : x (y # 1) <= (z # 1) x;
identity passing [x y <= y x] : x (y # 1) <= (y # 1) x;
identity semicommutation [x y <= y x] : (x + y) # 1 = (y # 1) (x # 1);
identity quasicommutation [x y <= y ((x + y) # 1)] : (x + y) # 1 = (y # 1) (x # 1);
identity stopped [x y = 0] : x (y # 1) = x;
identity blocked [x y = 0] : x y* = x;
fails simulation_right [x y <= y z] : (x # 1) y <= y (z # 1);

// What always ends: x # 0 = 0.
identity ends [x # 0 = 0] : x # 1 = x*;
identity is_star [x # 1 = x*] : x # 0 = x* 0;
identity ends_if_part [(x + y) # 0 = 0] : x # 0 = 0;
identity union_ends [x y <= y ((x + y) # 1), x # 0 = 0, y # 0 = 0] : (x + y) # 0 = 0;
identity smaller_ends [x <= y, y # 0 = 0] : x # 0 = 0;
fails union [x # 0 = 0, y # 0 = 0] : (x + y) # 0 = 0;

// Back's atomicity refinement, the concurrent half: an action a and what it is split into, with b before it ends, n that
// moves to the left, and c that moves over all; m is what holds when it ends.
identity split_action
    [a <= m a, n b <= b n, (a + n + b) c <= c (a + n + b), n m <= m n, n* = n # 1, m c <= c m, m b = 0, w <= w m, m <= 1] :
    w (c # m) (n # m) (a (b # 1) m (n # 1) # 1) <= w ((a (b # 1) m + n + c) # 1);
