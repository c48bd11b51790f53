% Status : Theorem
% Answer : GaveUp
% A premise that is neither solved for a letter nor of the form e = 0.
include('Axioms/semiring.ax').
include('Axioms/domain.ax').

fof(domain_action, conjecture, ! [X,Y,Z] : ( multiplication(X,Z) = multiplication(Z,Y) => domain(multiplication(X,Z)) = domain(multiplication(Z,Y)) ) ).
