// Two steps that access one protected variable: a of process i, b of process j, i != j.
//
// e and f say that i, j have exclusive access, g and h that a, b are enabled, and q that the discipline has been
// violated. Each premise is a fact about one step and at most one test. So the conclusion, which is what (14) and (15) of
// Stoller & Cohen 2003 ask of the pair, needs no look at the two steps together.
//
// `others`: where j has exclusive access, too, a violates; on type-correct states both may have it.
// `unread`: b is enabled by nothing that a changes. Without it the statement is false.
action a, b;
test e, f, g, h, q;

identity alone [~e a <= a q, e f a <= a q, g b = b g, a = g a, g <= a T] :
    f b a <= a q T;
identity nobody [~f b <= b q, ~f a <= a ~f, h a = a h, b = h b, h <= b T] :
    ~f h a T <= a b q T;
identity guards [g b = b g, a = g a, b = h b, g <= a T] :
    ~f b a <= ~f h a T;
identity protected [mine: ~e a <= a q, others: e f a <= a q, yours: ~f b <= b q, gives: ~f a <= a ~f, unmoved: g b = b g,
    enabled: a = g a, goes: g <= a T, unread: h a = a h, enabled2: b = h b, goes2: h <= b T] :
    b a <= f b a + ~f b a
        <= a q T + ~f b a by alone, mine, others, unmoved, enabled, goes
        <= a q T + ~f h a T by guards, unmoved, enabled, enabled2, goes
        <= a q T + a b q T by nobody, yours, gives, unread, enabled2, goes2
        <= a (q T + b + b q T);
