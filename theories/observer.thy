// A set V of states that is asked about, as one more thread: an observer that goes wrong in V and does nothing else.
//
// The theorems about transactions speak of threads that go wrong. The observer's only step is the test V, and it is in no transaction. So A1, A2,
// A5 and A6 say nothing of it, and A3 and A4, with V for t[j], are what follows here.

action t[i] is step of i;
test r[i] is i before its commit point, l[i] is i behind its commit point, V;

hypothesis A3 "no step to before the commit point leads into V":
    t[i] r[i] V <= V t[i] r[i];
hypothesis A4 "no step from behind the commit point leads out of V":
    V l[i] t[i] <= l[i] t[i] V;
