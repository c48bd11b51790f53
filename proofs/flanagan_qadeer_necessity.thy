// What theorem A.1 of Flanagan & Qadeer 2003 needs, as it is stated in ../theories/flanagan_qadeer.thy.
use flanagan-qadeer;
fails "needs A1" without A1 : init t* w[k] T <= init C* w[k] T
    model { states 2; processes 2;
            t[1] = none;  t[2] = 1->2;
            r[1] = 1,2;   w[2] = 2;
            init = 1; k = 2; };
fails "needs A2" without A2 : init t* w[k] T <= init C* w[k] T
    model { states 6; processes 2;
            t[1] = 1->3  3->1,6  4->2  5->4;  r[1] = 4,6;  l[1] = 3,5;  w[1] = 2;
            t[2] = 3->5  6->4;
            init = 1; k = 1; };
fails "needs A3" without A3 : init t* w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 3->2;  w[1] = 2;
            t[2] = 1->3;  r[2] = 2,3;
            init = 1; k = 1; };
fails "needs A4" without A4 : init t* w[k] T <= init C* w[k] T
    model { states 4; processes 2;
            t[1] = 1->3  3->1  4->2;  l[1] = 3,4;  w[1] = 2;
            t[2] = 3->4;
            init = 1; k = 1; };
fails "needs A5-r" without A5-r : init t* w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 1->3  3->2;  w[1] = 2;
            t[2] = none;        r[2] = 2,3;
            init = 1; k = 1; };
fails "needs A5-l" without A5-l : init t* w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 3->2;        w[1] = 2;
            t[2] = 1->3  3->1;  l[2] = 3;
            init = 1; k = 1; };
fails "needs A5-w, half of it" without A5-w [i != j => t[j] w[i] <= w[i] t[j]] : init t* w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 1->1  2->3;        w[1] = 3;
            t[2] = 1->2  2->1  3->1;  l[2] = 2,3;
            init = 1; k = 1; };
fails "needs A5-w, the other half" without A5-w [i != j => w[i] t[j] <= t[j] w[i]] : init t* w[k] T <= init C* w[k] T
    model { states 4; processes 3;
            t[1] = none;        w[1] = 2;
            t[2] = 1->4  3->2;  r[2] = 2,4;
            t[3] = 1->3  4->2;  r[3] = 2,3;
            init = 1; k = 1; };
fails "needs A6" without A6 : init t* w[k] T <= init C* w[k] T
    model { states 3; processes 2;
            t[1] = 3->2;  w[1] = 2;
            t[2] = 1->3;  l[2] = 2,3;
            init = 1; k = 1; };
