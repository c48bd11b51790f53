% Status : Theorem
% Answer : GaveUp
% Omega is not known where `x 0 = 0` is not.
include('Axioms/demonic.ax').

fof(strong_omega, conjecture, ! [X] : addition(omega(X),omega(X)) = omega(X) ).
