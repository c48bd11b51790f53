// What the reduction theorem of Stoller & Cohen 2003, section 3, needs: for each hypothesis a model of the others in which (19) is false.
//
// With up to three processes no model has fewer states than the one given. The halves of (12) and (13) that say that nobody enables an invisible step of another
// are not needed: they follow from the other hypotheses.

use stoller-cohen;

fails "needs 11" without 11 : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = 2->2  3->3;  v[1] = 1->3;  p[1] = 1;
            u[2] = 2->2;        v[2] = 3->2;  p[2] = 1,3;
            q = 2; };

fails "needs 12" without 12 : p (u + v)* q <= N* R
    model { states 4; processes 2;
            u[1] = 2->2  4->2;    v[1] = 1->1  3->4;  p[1] = 1,3;
            u[2] = 3->1  4->1;    v[2] = 1->3;        p[2] = 1,2;
            q = 2; };

fails "needs 12, nobody disables" without 12 [i != j => p[i] u[j] <= u[j] p[i]] : p (u + v)* q <= N* R
    model { states 4; processes 2;
            u[1] = 2->2  4->2;    v[1] = 1->1  3->4;  p[1] = 1,3;
            u[2] = 3->1  4->1;    v[2] = 1->3;        p[2] = 1,2;
            q = 2; };

fails "needs 13" without 13 : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = 3->1;  v[1] = 1->3;  p[1] = 1,2;
            u[2] = none;  v[2] = 3->2;  p[2] = 1,2,3;
            q = 2; };

fails "needs 13, nobody disables" without 13 [i != j => p[i] v[j] <= v[j] p[i]] : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = 3->1;  v[1] = 1->3;  p[1] = 1,2;
            u[2] = none;  v[2] = 3->2;  p[2] = 1,2,3;
            q = 2; };

fails "needs 14" without 14 : p (u + v)* q <= N* R
    model { states 5; processes 2;
            u[1] = 3->2  4->1;        v[1] = 1->4  5->3;  p[1] = 1,2,5;
            u[2] = 2->2  3->4  5->1;  v[2] = 1->5;        p[2] = 1,4;
            q = 2; };

fails "needs 15" without 15 : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = 2->2  3->1;  v[1] = 1->3;  p[1] = 1;
            u[2] = 2->2;        v[2] = 3->2;  p[2] = 1,3;
            q = 2; };

fails "needs 16, visible" without 16 [p[i] u[i] = 0] : p (u + v)* q <= N* R
    model { states 3; processes 1;
            u[1] = 3->1;  v[1] = 1->3  3->2;  p[1] = 1,2;
            q = 2; };

fails "needs 16, invisible" without 16 [~p[i] v[i] = 0] : p (u + v)* q <= N* R
    model { states 2; processes 1;
            u[1] = 1->2;  v[1] = none;  p[1] = 1,2;
            q = 2; };

fails "needs 17" without 17 : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = none;  v[1] = 1->3;  p[1] = 1;
            u[2] = none;  v[2] = 3->2;  p[2] = 1,3;
            q = 2; };

fails "needs 18" without 18 : p (u + v)* q <= N* R
    model { states 3; processes 2;
            u[1] = 2->1  3->1;  v[1] = 1->3;        p[1] = 1;
            u[2] = none;        v[2] = 1->1  3->2;  p[2] = 1,2,3;
            q = 2; };

// The summand M q T of R: a violation may come to light within the last step only.

fails "needs M q in R" : p (u + v)* q <= N* q T
    model { states 2; processes 1;
            u[1] = none;  v[1] = 1->2;  p[1] = 1,2;
            q = 2; };

// Nobody enables an invisible step of another: if one is enabled behind a step, it was enabled before, because it moves to the left.

identity "12 from 14" : i != j =>
       p[i] u[j]
    <= p[i] u[j] p[i] + p[i] u[j] ~p[i] (p[i] + u[i] T) by 17
    <= p[i] u[j] p[i] + p[i] u[j] u[i] T
    <= p[i] u[j] p[i] + p[i] u[i] (q T + u[j] + u[j] q T) T by 14
    <= p[i] u[j] p[i] by 16
    <= u[j] p[i];
identity "13 from 15" : i != j =>
       p[i] v[j]
    <= p[i] v[j] p[i] + p[i] v[j] ~p[i] (p[i] + u[i] T) by 17
    <= p[i] v[j] p[i] + p[i] v[j] u[i] T
    <= p[i] v[j] p[i] + p[i] u[i] (q T + v[j] + v[j] q T) T by 15
    <= p[i] v[j] p[i] by 16
    <= v[j] p[i];
