// What the theorem about left movers needs: for each hypothesis a model of the others in which it is false.
use left-movers;

fails "needs A1" without A1 : init t* w[k] T <= init D* w[k] T
    model { states 4; processes 2;
            t[1] = 1->2  3->4;  l[1] = 1,3;  w[1] = 2,4;
            t[2] = 1->3  2->4;  l[2] = 1,2;
            init = 1; k = 1 };
fails "needs A4" without A4 : init t* w[k] T <= init D* w[k] T
    model { states 4; processes 2;
            t[1] = 1->4  3->2  4->1;  l[1] = 3,4;  w[1] = 2;
            t[2] = 4->3;
            init = 1; k = 1 };
fails "needs A5-l" without A5-l : init t* w[k] T <= init D* w[k] T
    model { states 3; processes 2;
            t[1] = 3->2;        w[1] = 2;
            t[2] = 1->3  3->1;  l[2] = 3;
            init = 1; k = 1 };
fails "needs A5-w, one half" without A5-w [reflected : i != j => t[j] w[i] <= w[i] t[j]] : init t* w[k] T <= init D* w[k] T
    model { states 3; processes 2;
            t[1] = 1->1  3->2;        w[1] = 2;
            t[2] = 1->3  2->1  3->1;  l[2] = 2,3;
            init = 1; k = 1 };
fails "needs A6" without A6 : init t* w[k] T <= init D* w[k] T
    model { states 3; processes 2;
            t[1] = 1->3  3->2;  w[1] = 2;
            t[2] = none;        l[2] = 2,3;
            init = 1; k = 1 };
