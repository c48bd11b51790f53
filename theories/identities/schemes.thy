// Kleene algebra with tests: program schemes.
//
// Paterson's equivalence of two schemes (Manna 1974, section 4-2), which Angus & Kozen 2001, "Kleene algebra with tests and program
// schematology", prove in Kleene algebra with tests from laws about assignments; the numbers are those of their equations, and of Pous
// 2013, "Kleene algebra with tests and Coq tools for while programs", section 5, some steps are shorter than theirs. y1 to y4 are variables
// of the scheme, `io` its input and output; `p13` is `y1 := f(y3)`, `r13` is `y1 := f(f(y3))`, `q214` is `y2 := g(y1, y4)`, `x1` is
// `y1 := io`, `s1` is `y1 := f(io)`; `a1` is `P(y1)`, `e` is `P(f(io))`, `f` is `P(f(f(y2)))`; `qio` is `y2 := g(f(io), f(io))`, `qff` is
// `y2 := g(f(f(y2)), f(f(y2)))`; `out` is `io := y2` and clears y1 to y4, and `d1`, `d3`, `d4` clear one. What is assumed of them are
// instances of the laws (6) to (9) of assignments.

use tests;

level tests;

action d, d1, d3, d4, out, p11, p13, p22, p41, q211, q214, q222, q311, qff, qio, r12, r13, r22, s1, s2, u, v, w, x, x1, z;
test a1, a2, a3, a4, e, f;

// What is written and never read again: d clears it, and all that follows does without.

identity forget_once [x d = d, d v = v d, d z = z] : x v z = v z;
identity forget_in_star [x d = d, d u = u d, d w = w d] : (u x w)* d = (u w)* d;
identity forget_in_loop [h1 : x d = d, h2 : d u = u d, h3 : d w = w d, h4 : d v = v d, h5 : d z = z] :
    (u x w)* v z = (u x w)* d v z by h4, h5
                 = (u w)* d v z by h1, h2, h3, forget_in_star
                 = (u w)* v z by h4, h5;
identity forget_before_loop [h1 : x d = d, h2 : d w = w d, h3 : d v = v d, h4 : d z = z] : (x w)* x v z = w* v z
    by h1, h2, h3, h4, forget_once, forget_in_loop(u := 1);
identity forget_passes_loop [d p22 = p22 d, d a2 = a2 d] : d (~a2 p22)* = (~a2 p22)* d;

// Paterson's equivalence, step by step.

identity paterson_19 [a4 p13 = p13 a4, a4 p22 = p22 a4] :
    (~a1 p11 q214 q311)* a1 p13 ((~a4 + a4 (~a2 p22)* a2 ~a3 p41 p11) q214 q311 (~a1 p11 q214 q311)* a1 p13)* a4
        (~a2 p22)* a2 a3 out
    = (~a1 ~a4 p11 q214 q311 + ~a1 a4 p11 q214 q311 + a1 ~a4 p13 ~a4 q214 q311 + a1 a4 p13 (~a2 p22)* a2 ~a3 p41
        p11 q214 q311)* a1 p13 (~a2 p22)* a2 a3 a4 out;
identity paterson_23 [p13_p22 : p13 p22 = p22 p13, a2_p13 : a2 p13 = p13 a2, a3_p13 : a3 p13 = p13 a3, a4_p13 :
    a4 p13 = p13 a4, a1_p22 : a1 p22 = p22 a1, p13_out : p13 out = out] :
    a1 p13 (~a2 p22)* a2 a3 a4 out
    = (~a2 p22)* a1 a2 a3 a4 out
    by p13_p22, a2_p13, a3_p13, a4_p13, a1_p22, p13_out, forget_passes_loop(d := p13), forget_passes_loop(d :=
       a1);
identity paterson_24 [p41 p11 a1 ~a4 = 0, p41 p11 ~a1 a4 = 0, a1 p22 = p22 a1, a1 q214 = q214 a1, a1 q311 = q311
    a1, a4 p11 = p11 a4, a4 p13 = p13 a4, a4 p22 = p22 a4, a4 q214 = q214 a4, a4 q311 = q311 a4] :
    p41 p11 q214 q311 (~a1 ~a4 p11 q214 q311 + ~a1 a4 p11 q214 q311 + a1 ~a4 p13 ~a4 q214 q311 + a1 a4 p13 (~a2
        p22)* a2 ~a3 p41 p11 q214 q311)* (~a2 p22)* a1 a2 a3 a4 out
    = p41 p11 q214 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q214 q311)* (~a2 p22)* a1 a2 a3 a4 out;
identity paterson_27 [p41 p11 q214 = p41 p11 q211] :
    p41 p11 q214 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q214 q311)* (~a2 p22)* a1 a2 a3 a4 out
    = p41 p11 q211 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q211 q311)* (~a2 p22)* a1 a2 a3 a4 out;
identity paterson_29 [p41 p11 a1 ~a4 = 0, p41 p11 ~a1 a4 = 0, a1 p22 = p22 a1, a1 q211 = q211 a1, a1 q311 = q311
    a1, a4 p22 = p22 a4, a4 q211 = q211 a4, a4 q311 = q311 a4] :
    p41 p11 q211 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q211 q311)* (~a2 p22)* a1 a2 a3 a4 out
    = (p41 p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p41 p11 q211 q311 (~a2 p22)* a1 a2 a3 out;
identity paterson_31_body [d4_p11 : d4 p11 = p11 d4, d4_q211 : d4 q211 = q211 d4, d4_q311 : d4 q311 = q311 d4,
    d4_p13 : d4 p13 = p13 d4, d4_p22 : d4 p22 = p22 d4, d4_a1 : d4 a1 = a1 d4, d4_a2 : d4 a2 = a2 d4, d4_a3 : d4
    a3 = a3 d4] :
    d4 p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3
    = p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3 d4
    by d4_p11, d4_q211, d4_q311, d4_p13, d4_p22, d4_a1, d4_a2, d4_a3, forget_passes_loop(d := d4);
identity paterson_31_end [d4_p11 : d4 p11 = p11 d4, d4_q211 : d4 q211 = q211 d4, d4_q311 : d4 q311 = q311 d4,
    d4_p22 : d4 p22 = p22 d4, d4_a1 : d4 a1 = a1 d4, d4_a2 : d4 a2 = a2 d4, d4_a3 : d4 a3 = a3 d4] :
    d4 p11 q211 q311 (~a2 p22)* a1 a2 a3
    = p11 q211 q311 (~a2 p22)* d4 a1 a2 a3
      by d4_p11, d4_q211, d4_q311, d4_p22, d4_a2, forget_passes_loop(d := d4)
    = p11 q211 q311 (~a2 p22)* a1 a2 a3 d4 by d4_a1, d4_a2, d4_a3;
identity paterson_31 [d4_out : d4 out = out, p41_d4 : p41 d4 = d4, d4_p11 : d4 p11 = p11 d4, d4_q211 : d4 q211 =
    q211 d4, d4_q311 : d4 q311 = q311 d4, d4_p13 : d4 p13 = p13 d4, d4_p22 : d4 p22 = p22 d4, d4_a1 : d4 a1 = a1
    d4, d4_a2 : d4 a2 = a2 d4, d4_a3 : d4 a3 = a3 d4] :
    (p41 p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p41 p11 q211 q311 (~a2 p22)* a1 a2 a3 out
    = (p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p11 q211 q311 (~a2 p22)* a1 a2 a3 out
    by d4_out, p41_d4, d4_p11, d4_q211, d4_q311, d4_p13, d4_p22, d4_a1, d4_a2, d4_a3, paterson_31_body,
       paterson_31_end, forget_before_loop(d := d4, x := p41, w := p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3, v :=
       p11 q211 q311 (~a2 p22)* a1 a2 a3, z := out);
identity paterson_32_body [p13_p22 : p13 p22 = p22 p13, a1_p22 : a1 p22 = p22 a1, a2_p13 : a2 p13 = p13 a2,
    a3_p13 : a3 p13 = p13 a3] :
    a1 p13 (~a2 p22)* a2 ~a3
    = (~a2 p22)* a1 a2 ~a3 p13
    by p13_p22, a1_p22, a2_p13, a3_p13, forget_passes_loop(d := p13), forget_passes_loop(d := a1);
identity paterson_32 [p13_p22 : p13 p22 = p22 p13, a1_p22 : a1 p22 = p22 a1, a2_p13 : a2 p13 = p13 a2, a3_p13 :
    a3 p13 = p13 a3] :
    (p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p11 q211 q311 (~a2 p22)* a1 a2 a3 out     = p11 (q211 q311 a1 p13
        (~a2 p22)* a2 ~a3 p11)* q211 q311 (~a2 p22)* a1 a2 a3 out
    = p11 (q211 q311 (~a2 p22)* a1 a2 ~a3 p13 p11)* q211 q311 (~a2 p22)* a1 a2 a3 out
    by p13_p22, a1_p22, a2_p13, a3_p13, paterson_32_body;
identity paterson_33 [x1 p11 = s1, p13 p11 = r13] :
    x1 p11 (q211 q311 (~a2 p22)* a1 a2 ~a3 p13 p11)* q211 q311 (~a2 p22)* a1 a2 a3 out
    = s1 (q211 q311 (~a2 p22)* a1 a2 ~a3 r13)* q211 q311 (~a2 p22)* a1 a2 a3 out;
identity paterson_34_body [r13_p22 : r13 p22 = p22 r13, a2_r13 : a2 r13 = r13 a2, a3_r13 : a3 r13 = r13 a3,
    a1_p22 : a1 p22 = p22 a1, a1_q311 : a1 q311 = q311 a1, a1_q211 : a1 q211 = q211 a1] :
    q211 q311 (~a2 p22)* a1 a2 ~a3 r13
    = a1 q211 q311 r13 (~a2 p22)* a2 ~a3
    by r13_p22, a2_r13, a3_r13, a1_p22, a1_q311, a1_q211, forget_passes_loop(d := r13), forget_passes_loop(d :=
       a1);
identity paterson_34 [r13_p22 : r13 p22 = p22 r13, a2_r13 : a2 r13 = r13 a2, a3_r13 : a3 r13 = r13 a3, a1_p22 :
    a1 p22 = p22 a1, a1_q311 : a1 q311 = q311 a1, a1_q211 : a1 q211 = q211 a1] :
    (q211 q311 (~a2 p22)* a1 a2 ~a3 r13)* q211 q311 (~a2 p22)* a1 a2 a3 out
    = (a1 q211 q311 r13 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out
    by r13_p22, a2_r13, a3_r13, a1_p22, a1_q311, a1_q211, paterson_34_body;
identity paterson_35 [q211 q311 r13 = q211 q311 r12] :
    (a1 q211 q311 r13 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out
    = (a1 q211 q311 r12 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out;
identity paterson_36 [a3 p22 = p22 a3, a3 r12 = r12 a3, q211 q311 a2 ~a3 = 0, q211 q311 ~a2 a3 = 0] :
    (a1 q211 q311 r12 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out
    = (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 q311 a2 (~a2 p22)* a1 a2 out;
identity paterson_37_rest [d3_r12 : d3 r12 = r12 d3, d3_p22 : d3 p22 = p22 d3, d3_a2 : d3 a2 = a2 d3] :
    d3 ~a2 r12 (~a2 p22)* a2
    = ~a2 r12 (~a2 p22)* a2 d3
    by d3_r12, d3_p22, d3_a2, forget_passes_loop(d := d3);
identity paterson_37_end [d3_p22 : d3 p22 = p22 d3, d3_a1 : d3 a1 = a1 d3, d3_a2 : d3 a2 = a2 d3] :
    d3 a2 (~a2 p22)* a1 a2
    = a2 (~a2 p22)* a1 a2 d3
    by d3_p22, d3_a1, d3_a2, forget_passes_loop(d := d3);
identity paterson_37_last [d3_out : d3 out = out, q311_d3 : q311 d3 = d3, d3_q211 : d3 q211 = q211 d3, d3_r12 :
    d3 r12 = r12 d3, d3_p22 : d3 p22 = p22 d3, d3_a1 : d3 a1 = a1 d3, d3_a2 : d3 a2 = a2 d3] :
    (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 q311 a2 (~a2 p22)* a1 a2 out
    = (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
    by d3_out, q311_d3, d3_q211, d3_r12, d3_p22, d3_a1, d3_a2, paterson_37_end, forget_once(d := d3, x := q311,
       v := a2 (~a2 p22)* a1 a2, z := out);
identity paterson_37 [d3_out : d3 out = out, q311_d3 : q311 d3 = d3, d3_q211 : d3 q211 = q211 d3, d3_r12 : d3
    r12 = r12 d3, d3_p22 : d3 p22 = p22 d3, d3_a1 : d3 a1 = a1 d3, d3_a2 : d3 a2 = a2 d3] :
    (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
    = (a1 q211 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
    by d3_out, q311_d3, d3_q211, d3_r12, d3_p22, d3_a1, d3_a2, paterson_37_rest, paterson_37_end,
       forget_in_loop(d := d3, x := q311, u := a1 q211, w := ~a2 r12 (~a2 p22)* a2, v := q211 a2 (~a2 p22)* a1
       a2, z := out);
identity paterson_38 [a1 p22 = p22 a1, a1 q211 = q211 a1, a2 r12 = r12 a2, r12 p22 p22 a1 ~a2 = 0, r12 p22 p22
    ~a1 a2 = 0] :
    (a1 q211 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
    = a1 q211 (~a2 r12 a1 p22 a2 q211 + ~a2 r12 a1 p22 ~a2 p22 q211)* a2 out;
identity paterson_43 [p22 q211 = q211] :
    a1 q211 (~a2 r12 a1 p22 a2 q211 + ~a2 r12 a1 p22 ~a2 p22 q211)* a2 out
    = a1 q211 (~a2 r12 a1 q211)* a2 out;
identity paterson_44 [s1 a1 = e s1, s1 q211 = s1 qio, r12 a1 = f r12, r12 q211 = r12 qff] :
    s1 a1 q211 (~a2 r12 a1 q211)* a2 out
    = e s1 qio (~a2 f r12 qff)* a2 out;
identity paterson_46_loop [d1 f = f d1, d1 a2 = a2 d1, d1 qff = qff d1] :
    d1 (~a2 f qff)* a2
    = (~a2 f qff)* a2 d1;
identity paterson_45 [d1_out : d1 out = out, r12_d1 : r12 d1 = d1, s1_d1 : s1 d1 = d1, d1_qio : d1 qio = qio d1,
    d1_qff : d1 qff = qff d1, d1_a2 : d1 a2 = a2 d1, d1_f : d1 f = f d1] :
    e s1 qio (~a2 f r12 qff)* a2 out
    = e s1 qio (~a2 f qff)* a2 out
    by d1_out, r12_d1, s1_d1, d1_qio, d1_qff, d1_a2, d1_f, forget_in_loop(d := d1, x := r12, u := ~a2 f, w :=
       qff, v := a2, z := out);
identity paterson_46 [d1_out : d1 out = out, r12_d1 : r12 d1 = d1, s1_d1 : s1 d1 = d1, d1_qio : d1 qio = qio d1,
    d1_qff : d1 qff = qff d1, d1_a2 : d1 a2 = a2 d1, d1_f : d1 f = f d1] :
    e s1 qio (~a2 f qff)* a2 out
    = e qio (~a2 f qff)* a2 out
    by d1_out, r12_d1, s1_d1, d1_qio, d1_qff, d1_a2, d1_f, paterson_46_loop, forget_once(d := d1, x := s1, v :=
       qio (~a2 f qff)* a2, z := out);
identity paterson_47 [s2 a2 = e s2, s2 q222 = qio, r22 a2 = f r22, r22 q222 = qff] :
    e qio (~a2 f qff)* a2 out
    = s2 a2 q222 (~a2 r22 a2 q222)* a2 out;

identity paterson [a4_p13 : a4 p13 = p13 a4, a4_p22 : a4 p22 = p22 a4, p13_p22 : p13 p22 = p22 p13, a2_p13 : a2
    p13 = p13 a2, a3_p13 : a3 p13 = p13 a3, a1_p22 : a1 p22 = p22 a1, p13_out : p13 out = out, same_14 : p41 p11
    a1 ~a4 = 0, same_41 : p41 p11 ~a1 a4 = 0, a1_q214 : a1 q214 = q214 a1, a1_q311 : a1 q311 = q311 a1, a4_p11 :
    a4 p11 = p11 a4, a4_q214 : a4 q214 = q214 a4, a4_q311 : a4 q311 = q311 a4, p41_p11_q214 : p41 p11 q214 = p41
    p11 q211, a1_q211 : a1 q211 = q211 a1, a4_q211 : a4 q211 = q211 a4, d4_out : d4 out = out, p41_d4 : p41 d4 =
    d4, d4_p11 : d4 p11 = p11 d4, d4_q211 : d4 q211 = q211 d4, d4_q311 : d4 q311 = q311 d4, d4_p13 : d4 p13 =
    p13 d4, d4_p22 : d4 p22 = p22 d4, d4_a1 : d4 a1 = a1 d4, d4_a2 : d4 a2 = a2 d4, d4_a3 : d4 a3 = a3 d4,
    x1_p11 : x1 p11 = s1, p13_p11 : p13 p11 = r13, r13_p22 : r13 p22 = p22 r13, a2_r13 : a2 r13 = r13 a2, a3_r13
    : a3 r13 = r13 a3, q211_q311_r13 : q211 q311 r13 = q211 q311 r12, a3_p22 : a3 p22 = p22 a3, a3_r12 : a3 r12
    = r12 a3, same_23 : q211 q311 a2 ~a3 = 0, same_32 : q211 q311 ~a2 a3 = 0, d3_out : d3 out = out, q311_d3 :
    q311 d3 = d3, d3_q211 : d3 q211 = q211 d3, d3_r12 : d3 r12 = r12 d3, d3_p22 : d3 p22 = p22 d3, d3_a1 : d3 a1
    = a1 d3, d3_a2 : d3 a2 = a2 d3, a2_r12 : a2 r12 = r12 a2, same_12 : r12 p22 p22 a1 ~a2 = 0, same_21 : r12
    p22 p22 ~a1 a2 = 0, p22_q211 : p22 q211 = q211, s1_a1 : s1 a1 = e s1, s1_q211 : s1 q211 = s1 qio, r12_a1 :
    r12 a1 = f r12, r12_q211 : r12 q211 = r12 qff, d1_out : d1 out = out, r12_d1 : r12 d1 = d1, s1_d1 : s1 d1 =
    d1, d1_qio : d1 qio = qio d1, d1_qff : d1 qff = qff d1, d1_a2 : d1 a2 = a2 d1, d1_f : d1 f = f d1, s2_a2 :
    s2 a2 = e s2, s2_q222 : s2 q222 = qio, r22_a2 : r22 a2 = f r22, r22_q222 : r22 q222 = qff] :
    x1 p41 p11 q214 q311 (~a1 p11 q214 q311)* a1 p13 ((~a4 + a4 (~a2 p22)* a2 ~a3 p41 p11) q214 q311 (~a1 p11
        q214 q311)* a1 p13)* a4 (~a2 p22)* a2 a3 out
    = x1 p41 p11 q214 q311 (~a1 ~a4 p11 q214 q311 + ~a1 a4 p11 q214 q311 + a1 ~a4 p13 ~a4 q214 q311 + a1 a4 p13
        (~a2 p22)* a2 ~a3 p41 p11 q214 q311)* a1 p13 (~a2 p22)* a2 a3 a4 out
      by a4_p13, a4_p22, paterson_19
    = x1 p41 p11 q214 q311 (~a1 ~a4 p11 q214 q311 + ~a1 a4 p11 q214 q311 + a1 ~a4 p13 ~a4 q214 q311 + a1 a4 p13
        (~a2 p22)* a2 ~a3 p41 p11 q214 q311)* (~a2 p22)* a1 a2 a3 a4 out
      by p13_p22, a2_p13, a3_p13, a4_p13, a1_p22, p13_out, paterson_23
    = x1 p41 p11 q214 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q214 q311)* (~a2 p22)* a1 a2 a3 a4 out
      by same_14, same_41, a1_p22, a1_q214, a1_q311, a4_p11, a4_p13, a4_p22, a4_q214, a4_q311, paterson_24
    = x1 p41 p11 q211 q311 (a1 a4 p13 (~a2 p22)* a2 ~a3 p41 p11 q211 q311)* (~a2 p22)* a1 a2 a3 a4 out
      by p41_p11_q214, paterson_27
    = x1 (p41 p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p41 p11 q211 q311 (~a2 p22)* a1 a2 a3 out
      by same_14, same_41, a1_p22, a1_q211, a1_q311, a4_p22, a4_q211, a4_q311, paterson_29
    = x1 (p11 q211 q311 a1 p13 (~a2 p22)* a2 ~a3)* p11 q211 q311 (~a2 p22)* a1 a2 a3 out
      by d4_out, p41_d4, d4_p11, d4_q211, d4_q311, d4_p13, d4_p22, d4_a1, d4_a2, d4_a3, paterson_31
    = x1 p11 (q211 q311 (~a2 p22)* a1 a2 ~a3 p13 p11)* q211 q311 (~a2 p22)* a1 a2 a3 out
      by p13_p22, a1_p22, a2_p13, a3_p13, paterson_32
    = s1 (q211 q311 (~a2 p22)* a1 a2 ~a3 r13)* q211 q311 (~a2 p22)* a1 a2 a3 out
      by x1_p11, p13_p11, paterson_33
    = s1 (a1 q211 q311 r13 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out
      by r13_p22, a2_r13, a3_r13, a1_p22, a1_q311, a1_q211, paterson_34
    = s1 (a1 q211 q311 r12 (~a2 p22)* a2 ~a3)* q211 q311 (~a2 p22)* a1 a2 a3 out
      by q211_q311_r13, paterson_35
    = s1 (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 q311 a2 (~a2 p22)* a1 a2 out
      by a3_p22, a3_r12, same_23, same_32, paterson_36
    = s1 (a1 q211 q311 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
      by d3_out, q311_d3, d3_q211, d3_r12, d3_p22, d3_a1, d3_a2, paterson_37_last
    = s1 (a1 q211 ~a2 r12 (~a2 p22)* a2)* q211 a2 (~a2 p22)* a1 a2 out
      by d3_out, q311_d3, d3_q211, d3_r12, d3_p22, d3_a1, d3_a2, paterson_37
    = s1 a1 q211 (~a2 r12 a1 p22 a2 q211 + ~a2 r12 a1 p22 ~a2 p22 q211)* a2 out
      by a1_p22, a1_q211, a2_r12, same_12, same_21, paterson_38
    = s1 a1 q211 (~a2 r12 a1 q211)* a2 out
      by p22_q211, paterson_43
    = e s1 qio (~a2 f r12 qff)* a2 out
      by s1_a1, s1_q211, r12_a1, r12_q211, paterson_44
    = e s1 qio (~a2 f qff)* a2 out
      by d1_out, r12_d1, s1_d1, d1_qio, d1_qff, d1_a2, d1_f, paterson_45
    = e qio (~a2 f qff)* a2 out
      by d1_out, r12_d1, s1_d1, d1_qio, d1_qff, d1_a2, d1_f, paterson_46
    = s2 a2 q222 (~a2 r22 a2 q222)* a2 out
      by s2_a2, s2_q222, r22_a2, r22_q222, paterson_47;

// False ones: what is read later is not dead, and the second scheme needs its test.

fails forget_what_is_read [x d = d, d z = z] : x v z = v z;
fails forget_in_loop_wrong [x d = d, d u = u d, d v = v d, d z = z] : (u x w)* v z = (u w)* v z;
fails paterson_without_dead [p13_p22 : p13 p22 = p22 p13, a1_p22 : a1 p22 = p22 a1] :
    a1 p13 (~a2 p22)* a2 a3 a4 out = (~a2 p22)* a1 a2 a3 a4 out;
