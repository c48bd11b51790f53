% Problem : Tests are closed under sums, products and complements
% Status  : Theorem
include('Axioms/semiring.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [X,Y] : ( ( test(X) & test(Y) ) => ( test(addition(X,Y)) & test(multiplication(X,c(Y))) & complement(addition(c(X),Y),multiplication(X,c(Y))) ) ) ).
