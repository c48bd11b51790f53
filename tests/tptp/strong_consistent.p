% Status : Satisfiable
include('Axioms/demonic.ax').
