// Kleene algebra with tests: iterations that change nothing, and weaker steps, in blocks that others interrupt.
//
// Flanagan, Freund & Qadeer 2005, "Exploiting purity for atomicity"; Elmas, Qadeer & Tasiran 2009, "A calculus of atomic actions"; Lipton 1975.
// z stands for all steps of other threads: `x z* y` is x, then what others do, then y. u is a right mover, `u z <= z u`, and v a left mover,
// `z v <= v z`. A step that changes nothing is `x <= 1`; one that changes only what is overwritten before anybody looks is `x <= n`, where
// n gives that any value and `n y <= y`. n is a step that gives a variable of the thread's own any value, and moves past all others.
// Where these differ from the source: nothing is said of programs. Purity is an inequality, and what follows from it is proved once.

use kleene;
use commutation;

level kleene;

action a, b, c, m, n, u, v, w, x, y, z;
test p;

// What changes nothing.

identity pure_loop [x <= 1] : x* y = y;
identity pure_among [x <= 1] : (x + y)* = y*;
identity pure_way [x <= 1] : (x + y)* b = y* b;

// A block is put together, and so is a section of it.

identity block_together [right : u z <= z u, left : z v <= v z] : u z* m z* v <= z* u m v z*;
identity section_as_step [right : u z <= z u, left : z v <= v z, step : u m v <= w] : u z* m z* v <= z* w z*;
identity section_in_block [right : u z <= z u, left : z v <= v z, step : u m v <= w] :
    x z* u z* m z* v z* y <= x z* w z* y;

// An iteration that is a transaction and changes nothing is left out.

identity pure_block [right : u z <= z u, left : z v <= v z, pure : u m v <= 1] : u z* m z* v <= z*;
identity pure_iterations [right : u z <= z u, left : z v <= v z, pure : u m v <= 1] : (z + u z* m z* v)* <= z*;
identity polling [right : u z <= z u, left : z v <= v z, pure : u m v <= 1] :
    (u z* m z* v z*)* u z* c z* v
        <= (z* z*)* u z* c z* v by pure_block, right, left, pure
        <= z* u z* c z* v
        <= z* u c v z* by block_together, right, left;
identity scratch_moves [moves : n z <= z n, twice : n n <= n, 1 <= n] : (z + n)* <= z* n;
identity scratch_iterations [moves : n z <= z n, twice : n n <= n, none : 1 <= n, dead : n y <= y] : (z + n)* y <= z* y;
identity pure_but_for_scratch [right : u z <= z u, left : z v <= v z, pure : u m v <= n, moves : n z <= z n, twice : n n <= n,
    none : 1 <= n, dead : n y <= y] :
    (z + u z* m z* v)* y
        <= (z + z* n z*)* y by section_as_step, right, left, pure
        <= (z + n)* y
        <= z* y by scratch_iterations, moves, twice, none, dead;

// Changing nothing when run alone is not enough: `x = 1; x = 0` is seen by others.

fails alone_is_not_enough [u m v <= 1] : u z* m z* v <= z*;
fails left_is_needed [u z <= z u, u m v <= 1] : u z* m z* v <= z*;
fails right_is_needed [z v <= v z, u m v <= 1] : u z* m z* v <= z*;
fails scratch_is_read [n z <= z n, n n <= n, 1 <= n] : (z + n)* y <= z* y;
fails scratch_is_seen [n n <= n, 1 <= n, n y <= y] : (z + n)* y <= z* y;

// Weaker steps.

identity weaker [a <= n, same : x n y <= x a y] : x n y = x a y;
identity weaker_read [right : x z <= z x, moves : n z <= z n, reads : a <= n, same : x n y <= x a y] :
    x z* a z* y <= z* x a y;
identity weaker_both [moves : n z <= z n, moves2 : b z <= z b, reads : a <= n, again : c <= b, same : n b y <= a c y] :
    a z* c z* y <= z* a c y;
// Each step by itself may be weakened, and both together not.
fails weaker_apart [a <= n, x n a y <= x a a y, x a n y <= x a a y] : x n n y <= x a a y;
fails weaker_that_stays [a <= n, x n y <= x a y] : x z* a z* y <= z* x a y;

level tests;

identity retry [moves : n z <= z n, twice : n n <= n, reads : a <= n, same : n p b <= a p b] :
    (a z* ~p z*)* a z* p b <= z* a p b;
identity section_reads [right : u z <= z u, left : z v <= v z, reads : u x v <= n] : u z* x z* v <= z* n z*;
identity section_fails [right : u z <= z u, left : z v <= v z, missed : u ~p v <= 1] : u z* ~p z* v <= z*;
identity optimistic [right : u z <= z u, left : z v <= v z, reads : u x v <= n, moves : n z <= z n, twice : n n <= n,
    none : 1 <= n, missed : u ~p v <= 1] :
    (u z* x z* v z* u z* ~p z* v z*)* u z* x z* v z* u z* p b z* v
        <= (z* n z* u z* ~p z* v z*)* z* n z* u z* p b z* v by section_reads, right, left, reads
        <= (z* n z*)* z* n z* u z* p b z* v by section_fails, right, left, missed
        <= (z* n z*)* z* n z* u p b v z* by block_together, right, left
        <= z* n z* u p b v z* by moves, twice
        <= z* n u p b v z* by moves;
