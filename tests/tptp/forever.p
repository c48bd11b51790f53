% Problem : A loop that does not end
% Status  : Theorem
include('Axioms/omega.ax').
include('Axioms/tests.ax').
fof(goal, conjecture,
    ! [P,X] : ( test(P) => omega(multiplication(P,X)) = multiplication(multiplication(P,X),omega(multiplication(P,X))) ) ).
