// The proof of the theorem about left movers. Its lines are in movers.thy.

use left-movers;
use movers-lemmas;

// Nobody else puts a thread behind its commit point: it could take a step there, move it to the left, and would not find itself there.

identity l_local : i != j => l[i] t[j] = t[j] l[i] by A4, A5-l, A6;
identity left : init t* w[k] T <= init D* o[k] w[k] T by A1, A4, A5-w, A6, l_local, left_movers;
