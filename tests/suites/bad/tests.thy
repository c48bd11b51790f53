action x, u[i];
test p, q[i];
identity complement : x + ~x = 1;
identity part : ~(p x) + ~p* <= 1;
identity product : (. i : u[i]) <= 1;
identity good : (. i : ~q[i]) p <= ~~p;
identity lemma : p x <= x;
identity used : x x <= x by lemma(p := x);
identity used_well : p p <= p by lemma(x := p);
