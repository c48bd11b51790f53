// What Lipton's theorem needs: for each hypothesis a model of the others in which it is false.
use lipton;

fails "needs 1" without 1 : init t* n <= init S* n
    model { states 2; processes 1; t[1] = 1->2; r[1] = 1; init = 1 };
fails "needs 2" without 2 : init t* n <= init S* n
    model { states 4; processes 1; t[1] = 1->4  3->2  4->3; r[1] = 3; l[1] = 4; init = 1 };
fails "needs 3" without 3 : init t* n <= init S* n
    model { states 3; processes 2; t[1] = 3->2; t[2] = 1->3; r[2] = 3; init = 1 };
fails "needs 4" without 4 : init t* n <= init S* n
    model { states 5; processes 2; t[1] = 3->4; t[2] = 1->2  2->3  4->5; l[2] = 3,4; init = 1 };
fails "needs 5" without 5 : init t* n <= init S* n
    model { states 3; processes 2; t[1] = 3->2; t[2] = 1->3; r[1] = 3; init = 1 };
fails "needs 6" without 6 [reflected : i != j => t[j] l[i] <= l[i] t[j]] : init t* n <= init S* n
    model { states 3; processes 2; t[1] = 3->2; t[2] = 1->3; l[2] = 3; init = 1 };
