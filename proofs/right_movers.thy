// Right movers: the proof. Its lines are in movers.thy.

use right-movers;
use movers-lemmas;

identity right : init D* o[i] w[i] T <= init C* w[i] T by A1, A2, A3, A5-r, A5-l, A5-w, right_movers;
