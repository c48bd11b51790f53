% Status : Theorem
% What an axiom defines is put in its place, also in other axioms.
include('Axioms/kleene.ax').
include('Axioms/tests.ax').
fof(while, axiom, ! [P,X] : loop(P,X) = multiplication(star(multiplication(P,X)),c(P)) ).
fof(twice, axiom, ! [P,X] : two_loops(P,X) = multiplication(loop(P,X),loop(P,X)) ).
fof(same, axiom, two_loops(b,a) = a ).

fof(defined, conjecture, ( test(b) => ! [P,X] : ( test(P) => ( two_loops(P,X) = loop(P,X) & loop(b,a) = a ) ) ) ).
