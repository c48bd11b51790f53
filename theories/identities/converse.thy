// Relations and their converses: conv(x) is x backwards.
// Schmidt & Stroehlein, Relations and Graphs (1993); Bloom, Esik & Stefanescu, Notes on equational theories of relations
// (1995); Brunet & Pous, Kleene algebra with converse (2014).
level converse;
action a[i], b[i], m, n, u, v, w, x, y, z;
test p, q;

// What converses are.
axiom twice : conv(conv(x)) = x;
axiom of_sum : conv(x + y) = conv(x) + conv(y);
axiom of_product : conv(x y) = conv(y) conv(x);
axiom of_star : conv(x*) = conv(x)*;
axiom there_and_back : x <= x conv(x) x;
axiom of_test : conv(p) = p;
identity of_top : conv(T) = T;
identity of_nothing : conv(0) = 0;
identity isotone [x <= y] : conv(x) <= conv(y);
identity isotone_back [conv(x) <= conv(y)] : x <= y;
identity adjoint [conv(x) <= y] : x <= conv(y);
identity word_there_and_back : x y <= x y conv(x y) x y;
identity longer_word : x y z <= x y z conv(x y z) x y z;
identity infinite : conv(x^w) = T div(x);
identity infinite_back : conv(conv(x^w)) = x^w;
identity infinite_below [y <= x^w] : conv(y) <= T div(x);
identity all_ways : x <= x T x;
fails order_stays : conv(x y) = conv(x) conv(y);
fails nothing_lost : x conv(x) <= 1;
fails all_there : 1 <= x conv(x);
fails there_without_back : x <= x x x;

// Domains.
identity domain_of_converse : dom(conv(x)) = cod(x);
identity codomain_of_converse : cod(conv(x)) = dom(x);
identity domain_there_and_back : dom(x) <= x conv(x);
identity codomain_back_and_there : cod(x) <= conv(x) x;
identity back : |conv(x)> p = <x| p;
identity ahead : <conv(x)| p = |x> p;
identity box_back : |conv(x)] p = [x| p;
identity domain_is_all : dom(x) T = x T;
fails domain_is_both : dom(x) = x conv(x);

// Functions: what leads to one state at most, or to one at least.
identity function_of_functions [conv(m) m <= 1, conv(n) n <= 1] : conv(m n) m n <= 1;
identity total_of_total [1 <= m conv(m), 1 <= n conv(n)] : 1 <= m n conv(m n);
identity injection_of_injections [m conv(m) <= 1, n conv(n) <= 1] : m n conv(m n) <= 1;
identity shunt_right [one: conv(m) m <= 1, some: 1 <= m conv(m), x m <= y] : x <= y conv(m);
identity shunt_back [one: conv(m) m <= 1, some: 1 <= m conv(m), x <= y conv(m)] : x m <= y;
identity shunt_left [one: conv(m) m <= 1, some: 1 <= m conv(m), conv(m) x <= y] : x <= m y;
identity equal_functions [conv(n) n <= 1, 1 <= m conv(m), m <= n] : m = n;
identity inverse [y x <= 1, 1 <= x y, 1 <= y x, x y <= 1] : conv(x) conv(y) = 1;
identity function_there_and_back [conv(m) m <= 1] : m conv(m) m = m;
identity kernel_is_transitive [conv(m) m <= 1] : m conv(m) m conv(m) = m conv(m);
identity total_by_domain [dom(m) = 1] : 1 <= m conv(m);
identity domain_if_total [1 <= m conv(m)] : dom(m) = 1;
identity image_ends [conv(m) m <= 1] : p m q = p m q conv(m) m;
identity function_below [conv(m) m <= 1, x <= m] : conv(x) x <= 1;
fails sum_of_functions [conv(m) m <= 1, conv(n) n <= 1] : conv(m + n) (m + n) <= 1;
fails shunt_partial [conv(m) m <= 1, x m <= y] : x <= y conv(m);

// One step at most: where it may end in p, it must.
identity may_is_must_split [conv(m) m <= 1] : dom(m p) m ~p <= m p conv(m) m ~p <= m p ~p = 0;
identity may_is_must [conv(m) m <= 1] : |m> p <= |m] p;

// Symmetric and transitive relations.
identity symmetric [conv(x) <= x] : conv(x) = x;
identity symmetric_star [conv(x) = x] : conv(x*) = x*;
identity symmetric_sum : conv(x + conv(x)) = x + conv(x);
identity symmetric_transitive [conv(x) <= x, x x <= x] : x x = x;
identity equivalence [1 <= x, conv(x) <= x, x x <= x] : x* = x = conv(x);
identity least_equivalence [x <= y, 1 <= y, conv(y) <= y, y y <= y] : (x + conv(x))* <= y;
identity part_of_identity [x <= 1] : conv(x) = x = x x;
identity equivalences_commute [conv(x) = x, conv(y) = y, x y <= y x] : x y = y x;
identity product_is_symmetric [conv(x) = x, conv(y) = y, x y = y x] : conv(x y) = x y;
fails symmetric_product [conv(x) = x, conv(y) = y] : conv(x y) = x y;

// Simulations: z relates states of x to states of y that can do as much.
identity simulation_star [conv(z) x <= y conv(z)] : conv(z) x* <= y* conv(z);
identity simulation_back [conv(z) x <= y conv(z)] : conv(x) z <= z conv(y);
identity simulations_compose [conv(w) u <= v conv(w), conv(z) v <= y conv(z)] : conv(w z) u <= y conv(w z);
identity simulations_unite [conv(w) x <= y conv(w), conv(z) x <= y conv(z)] : conv(w + z) x <= y conv(w + z);
identity bisimulation_back [conv(z) x <= y conv(z), z y <= x z] : conv(y) conv(z) <= conv(z) conv(x);
identity bisimulations_compose [conv(w) u <= v conv(w), w v <= u w, conv(z) v <= y conv(z), z y <= v z] :
    w z y <= u w z;
identity bisimulation_of_itself [conv(z) x <= x conv(z), z x <= x z] : (z + conv(z))* x <= x (z + conv(z))*;
identity functional_simulation [conv(m) m <= 1, 1 <= m conv(m), x m <= m y] : conv(m) x <= y conv(m);
fails simulation_is_bisimulation [conv(z) x <= y conv(z)] : z y <= x z;

// Church and Rosser: what is connected has a common successor.
identity church_rosser [conv(x)* x* <= x* conv(x)*] : (x + conv(x))* = x* conv(x)*;
identity church_rosser_back [(x + conv(x))* <= x* conv(x)*] : conv(x)* x* <= x* conv(x)*;
identity diamond [conv(x) x <= x conv(x)] : conv(x)* x* <= x* conv(x)*;
identity diamond_connects [conv(x) x <= x conv(x)] : (x + conv(x))* = x* conv(x)*;
identity semi_confluent [conv(x) x* <= x* conv(x)*] : conv(x)* x* <= x* conv(x)*;
identity strongly_confluent [conv(x) x <= x* (1 + conv(x))] : conv(x)* x* <= x* conv(x)*;
identity both_ways [conv(x) y <= y conv(x)] : conv(y) x <= x conv(y);
identity both_ways_star [conv(x)* y* <= y* conv(x)*] : conv(y)* x* <= x* conv(y)*;
identity hindley_rosen [conv(x)* x* <= x* conv(x)*, conv(y)* y* <= y* conv(y)*, conv(x)* y* <= y* conv(x)*] :
    conv(x + y)* (x + y)* <= (x + y)* conv(x + y)*;
fails locally_confluent [conv(x) x <= x* conv(x)*] : conv(x)* x* <= x* conv(x)*;

// Backwards: what holds of runs holds of them turned round.
identity refinement_back [x* y <= z] : conv(y) conv(x)* <= conv(z);
identity invariant_back [p x <= x p] : ~p conv(x) <= conv(x) ~p;
identity hoare_back [p x ~q = 0] : ~q conv(x) p = 0;
identity unreachable [p x* q = 0] : q conv(x)* p = 0;
identity forward_and_back [p x* q = 0] : dom(conv(x)* p) q = 0;

// Any number of processes.
identity of_processes : conv((+ i : a[i])) = (+ i : conv(a[i]));
identity processes_there_and_back : (+ i : a[i]) <= (+ i : a[i] conv(a[i]) a[i]);
identity processes_move_back [i != j => conv(a[i]) b[j] <= b[j] conv(a[i])] :
    i != j => conv(b[j]) a[i] <= a[i] conv(b[j]);
identity processes_are_functions [conv(a[i]) a[j] <= 1] : conv((+ i : a[i])) (+ i : a[i]) <= 1;
fails processes_apart [conv(a[i]) a[i] <= 1] : conv((+ i : a[i])) (+ i : a[i]) <= 1;
fails processes_meet : conv(a[i]) a[j] <= conv(a[j]) a[i]
    model { states 3; processes 2; a[1] = 1->2; a[2] = 1->3 };
