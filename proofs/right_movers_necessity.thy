// What the theorem about right movers needs: for each hypothesis a model of the others in which it is false.
use right-movers;

fails "needs A1" without A1 : init D* o[k] w[k] T <= init C* w[k] T
    model { states 2; processes 2;
            t[1] = 1->2;  w[1] = 2;
            t[2] = none;  r[2] = 1;
            init = 1; k = 1 };
fails "needs A2" without A2 : init D* o[k] w[k] T <= init C* w[k] T
    model { states 6; processes 2;
            t[1] = 1->3  3->1,6  4->2  5->4;  r[1] = 4,6;  l[1] = 3,5;  w[1] = 2;
            t[2] = 3->5  6->4;
            init = 1; k = 1 };
fails "needs A3" without A3 : init D* o[k] w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 3->2;  w[1] = 2;
            t[2] = 1->3;  r[2] = 3;
            init = 1; k = 1 };
fails "needs A5-r" without A5-r : init D* o[k] w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 1->3  3->2;  w[1] = 2;
            t[2] = none;        r[2] = 3;
            init = 1; k = 1 };
fails "needs A5-l" without A5-l [reflected : i != j => t[j] l[i] <= l[i] t[j]] : init D* o[k] w[k] T <= init C* w[k] T
    model { states 5; processes 2;
            t[1] = 1->2  3->5  4->3;  r[1] = 2,3;  w[1] = 5;
            t[2] = 1->4  2->3;        l[2] = 4;
            init = 1; k = 1 };
fails "needs A5-w" without A5-w : init D* o[k] w[k] T <= init C* w[k] T
    model { states 4; processes 3;
            t[1] = none;        w[1] = 2;
            t[2] = 1->4  3->2;  r[2] = 2,4;
            t[3] = 1->3  4->2;  r[3] = 2,3;
            init = 1; k = 1 };
