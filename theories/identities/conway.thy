// Regular expressions: the identities of Conway and of the textbooks.
//
// Conway 1971, "Regular Algebra and Finite Machines" (C11 to C14 and the identities of groups), Redko 1964 (powers), Krob 1991 (matrix and
// group identities), Boffa 1990 and 1995; exercises of Salomaa 1966, "Two complete axiom systems for the algebra of regular events", of
// Kozen 1997, "Automata and Computability", and of Hopcroft, Motwani & Ullman on languages over a few letters. All hold in every
// Kleene algebra; laws that have other names in kleene.thy stand there.

use kleene;

level kleene;

action a, b, c, d, x, y, z;

// Conway's C12 to C14 in full: C11 is `star_denest_right`, C13 `star_idempotent`, C14 for squares and cubes `star_by_squares`, `star_by_cubes`.

identity C12_twice : (a b)* = 1 + a b + a b a (b a)* b;
identity C12_three : (a b c)* = 1 + a (b c a)* b c;
identity C12_rotation : (a b c)* a b = a b (c a b)*;
identity C14_four : a* = (1 + a + a a + a a a) (a a a a)*;
identity C14_five : a* = (1 + a + a a + a a a + a a a a) (a a a a a)*;
identity C14_six_by_parts : (1 + a) (1 + a a + a a a a) (a a a a a a)* = a*;
identity C14_right : a* = (a a a)* (1 + a + a a);

// Powers of one letter.

identity power_first_steps : a* = 1 + a + a a + a a a a*;
identity power_any_start : a a a* = a a + a a a a*;
identity power_square_in_cube : (a a a)* (a a)* (1 + a) = a*;
identity power_two_and_five : (a a + a a a a a)* = 1 + a a + a a a a a*;
identity power_three_and_five :
    (a a a + a a a a a)* = 1 + a a a + a a a a a + a a a a a a + a a a a a a a a a*;
identity power_four_in_two : (a a a a)* (1 + a a) = (a a)*;
identity power_six_in_three : (a a a)* = (a a a a a a)* (1 + a a a);
identity power_least_multiple : (a a a a a a)* <= (a a)*;
identity power_odd : a (a a)* a (a a)* = a a (a a)*;
identity power_plus_closed : a a* a a* = a a a*;
identity power_bounded_below : a a + a a a <= a a a*;
identity power_mod_three : a* = (a a a)* + a (a a a)* + a a (a a a)*;
identity power_gap : (a + a a a)* = a*;
identity power_star_of_odd : (a (a a)*)* = a*;
identity power_star_of_even_plus : (a a (a a)*)* = (a a)*;
identity power_of_sum_square : (a + b)* = ((a + b) (a + b))* (1 + a + b);
identity power_of_sum_letters : (a + b)* = (a a + a b + b a + b b)* (1 + a + b);

// Sums under a star.

identity sum_last_letter : (a + b)* = 1 + (a + b)* a + (a + b)* b;
identity sum_first_letter : (a + b)* = 1 + a (a + b)* + b (a + b)*;
identity sum_after_star : (a + b)* = (a + b)* a*;
identity sum_starred_member : (a + b)* = (a* + b)*;
identity sum_starred_and_plus : (a + b)* = (a a* + b b*)*;
identity sum_first_other : (a + b)* = a* + (a + b)* b a*;
identity sum_through_other : (a + b)* b (a + b)* = a* b (a + b)*;
identity sum_through_other_last : (a + b)* b (a + b)* = (a + b)* b a*;
identity sum_blocks : (a + b)* = (a a* b b*)* (a* + b b* a*) + b b* (a a* b b*)* (a* + 1);
identity sum_three_by_two : (a + b + c)* = (a + b)* (c (a + b)*)*;
identity sum_three_regroup : ((a + b)* + c)* = (a* + (b + c)*)*;
identity sum_three_product : (a* b* c*)* = (a + b + c)*;
identity sum_with_product : (a + b + a b)* = (a + b)*;
identity sum_with_product_star : (a + b + (a b)*)* = (a + b)*;
identity sum_of_products : (a b + a c)* = (a (b + c))*;
identity sum_absorbs_own_star : a* + b* = a* + b b*;
identity sum_stars_twice : (a* + b*) (a* + b*) = a* b* + b* a*;
identity sum_of_four : (a + b + c + d)* = ((a + b)* (c + d)*)*;

// Exercises on languages.

identity exercise_shift : (a b + a)* a = a (b a + a)*;
identity exercise_shift_two : (a b a)* a b = a b (a a b)*;
identity exercise_even_number : (a + b a* b)* = a* (b a* b a*)*;
identity exercise_third_number : (a + b a* b a* b)* = a* (b a* b a* b a*)*;
identity exercise_no_double : (a + b a)* (1 + b) = (1 + b) (a + a b)*;
identity exercise_no_triple : (1 + b + b b) (a (1 + b + b b))* = ((1 + b + b b) a)* (1 + b + b b);
identity exercise_double_or_not : (a + b)* = (a + b a)* (1 + b) + (a + b)* b b (a + b)*;
identity exercise_factor_or_sorted : (a + b)* = b* a* + (a + b)* a b (a + b)*;
identity exercise_ends_differ : (a + b)* b = (a* b)* a* b;
identity exercise_last_but_one : (a + b)* a (a + b) = (b + a a* b)* a a* (b + a);
identity exercise_ends_with : a* b (a + b)* + a* = (a + b)*;
identity exercise_alternating : (1 + b) (a b)* (1 + a) = (1 + a) (b a)* (1 + b);
identity exercise_alternating_union :
    (1 + b) (a b)* (1 + a) = (a b)* + (b a)* + a (b a)* + b (a b)*;
identity exercise_even_even :
    ((a + b) (a + b))* =
    (a a + b b + (a b + b a) (a a + b b)* (a b + b a))* (1 + (a b + b a) (a a + b b)*);
identity exercise_even_even_by_states :
    (a a + b b + (a b + b a) (a a + b b)* (a b + b a))* =
    (a a + b b)* ((a b + b a) (a a + b b)* (a b + b a) (a a + b b)*)*;
identity exercise_begins_and_ends : a (a + b)* a + a = a (a* b* a)*;
identity exercise_tail : 1 + a* (b b)* b b a* + a a* = a* (b b)* a*;

// Automata as expressions: the states taken away in different orders.

identity automaton_two_orders : (a + b d* c)* = 1 + (a + b d* c) (a* b d* c)* a* ;
identity automaton_two_states : (a + b d* c)* b d* = a* b (d + c a* b)*;
identity automaton_return : (a + b d* c)* = a* + a* b (d + c a* b)* c a*;
identity automaton_row : (a + b d* c)* (1 + b d*) = a* (1 + b (d + c a* b)* (1 + c a*));
identity automaton_three_in_circle :
    (x + y (x + y x* y)* y)* = x* (y (x + y x* y)* y x*)*;

// The identities of small groups: every word leads somewhere.

identity group_of_two : (a + b)* = (a + b a* b)* (1 + b a*);
identity group_of_two_symmetric : (a + b a* b)* b a* = a* b (a + b a* b)*;
identity group_of_three : (a + b)* = (a + b a* b a* b)* (1 + b a* + b a* b a*);
identity group_of_four_cyclic :
    (a + b a* b a* b a* b)* (1 + b a* + b a* b a* + b a* b a* b a*) = (a + b)*;
identity group_of_three_two_ways :
    (a + b a* c + (c + b a* b) (a + c a* b)* (b + c a* c))*
        (1 + b a* + (c + b a* b) (a + c a* b)* (1 + c a*)) = (a + b + c)*;

// False ones.

fails C11_wrong : (a + b)* = (a* b)*;
fails C12_wrong : (a b)* = 1 + a (a b)* b;
fails C14_short : a* = (1 + a) (a a a)*;
fails power_two_and_four : (a a + a a a a)* = 1 + a a a*;
fails power_even_is_all : (a a)* (a a)* = a*;
fails power_two_and_three_all : (a a + a a a)* = a*;
fails power_of_sum_by_letters : (a + b)* = (a a + b b)* (1 + a + b);
fails sum_of_squares : (a a + b b)* = (a a)* (b b)*;
fails star_of_three_sorted : (a + b + c)* = a* b* c*;
fails sum_blocks_short : (a + b)* = (a a* b b*)*;
fails exercise_ends_with_block : (a b + a)* a b = (a a* b)*;
fails exercise_ends : (a + b)* b = (a* b)*;
fails exercise_conjugate : b (a b + b)* a = a a* b (a a* b)*;
fails exercise_no_double_short : (a + b)* = (a + b a)* (1 + b);
fails exercise_even_wrong : (a + b a* b)* = (a + b b)*;
fails exercise_alternating_wrong : (1 + b) (a b)* = (1 + a) (b a)*;
fails automaton_states_lost : (a + b d* c)* b d* = a* b d*;
fails group_of_two_parity : (a + b)* = (a + b a* b)*;
fails group_of_three_short : (a + b)* = (a + b a* b a* b)* (1 + b a*);
