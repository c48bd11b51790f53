% Problem : Axioms alone have a model
% Status  : Satisfiable
include('Axioms/omega.ax').
include('Axioms/tests.ax').
