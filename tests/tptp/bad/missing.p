include('Axioms/missing.ax').
