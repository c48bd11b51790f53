include('Axioms/kleene.ax', [unfold, fold]).
