//! What each hypothesis and well-formedness condition says, what breaks it and how to mend it.
//!
//! The hypotheses are (11)-(18) of Stoller & Cohen 2003, section 3; the conditions are those of section 4.

/// One explained condition.
pub struct Topic {
    /// As reports write it.
    pub name: &'static str,
    /// The formula, or the condition in a few words.
    pub formula: &'static str,
    /// What it says.
    pub says: &'static str,
    /// What typically breaks it.
    pub breaks: &'static str,
    /// How to mend it.
    pub mend: &'static str,
}

/// All of them.
pub const TOPICS: &[Topic] = &[
    Topic {
        name: "11",
        formula: "(u_i ~q)^w = 0",
        says: "No thread can take invisible steps for ever without violating the discipline. A coarse step runs all \
               invisible steps up to the next visible one, so it has to come to an end.",
        breaks: "a loop whose every step is invisible: only local variables, or shared ones under a lock held around \
                 the whole loop.",
        mend: "without --strict a step of the loop is made visible. Or put a step on an unprotected variable into the \
               loop, or bound it (`for` over constants).",
    },
    Topic {
        name: "12",
        formula: "i != j  =>  u_j p_i = p_i u_j",
        says: "An invisible step of one thread neither enables nor disables the invisible steps of another (p_i: no \
               invisible step of thread i is enabled).",
        breaks: "nothing, for models: a step that can block on a shared variable is visible, so this holds by \
               construction; it is checked all the same.",
        mend: "if it fails, look at the witness: the step that is enabled or disabled has to be visible. Then \
               please report it.",
    },
    Topic {
        name: "13",
        formula: "i != j  =>  v_j p_i = p_i v_j",
        says: "A visible step of one thread neither enables nor disables the invisible steps of another.",
        breaks: "nothing, for models, as for 12: what waits for another thread is visible.",
        mend: "as for 12.",
    },
    Topic {
        name: "14",
        formula: "i != j  =>  u_j u_i <= u_i (q T + u_j + u_j q T)",
        says: "Two invisible steps of different threads can be swapped: whatever u_j followed by u_i does, u_i \
               followed by u_j does too, or the discipline is violated on the way.",
        breaks: "a step that takes away the predicate under which the other thread accesses: in one order the \
               access violates the discipline, in the other it does not. Or two steps whose order shows in what \
               they leave behind.",
        mend: "let the exclusive access predicate of a thread depend only on what no other thread changes while \
               it holds (a lock it owns, its location); or declare the variable `unprotected`, which makes its \
               steps visible.",
    },
    Topic {
        name: "15",
        formula: "i != j  =>  v_j u_i <= u_i (q T + v_j + v_j q T)",
        says: "An invisible step can be moved before a visible step of another thread, unless the discipline is \
               violated on the way.",
        breaks: "a visible step that takes away the predicate under which the other thread's invisible step \
               accesses, as in: x is protected for thread i while thread j is at L, and j leaves L.",
        mend: "as for 14: let only the thread itself give up its exclusive access (WFendExcl), for instance by \
               a handshake.",
    },
    Topic {
        name: "16",
        formula: "~p_i v_i = 0 = p_i u_i",
        says: "A thread never has a choice between a visible and an invisible step (left), and where p_i holds \
               no invisible step is enabled (right, by the definition of p_i).",
        breaks: "a location that a visible and an invisible step leave.",
        mend: "this is WFsep; without --strict all steps of such a location are made visible.",
    },
    Topic {
        name: "17",
        formula: "1 <= p_i + u_i T",
        says: "In each state, either no invisible step of thread i is enabled or one can be taken.",
        breaks: "nothing, for models: p_i is defined as \"no invisible step of i is enabled\". It is checked \
               so that nothing rests on that.",
        mend: "a failure would be a bug of coarsen: please report it.",
    },
    Topic {
        name: "18",
        formula: "q u_i <= u_i q",
        says: "Once the discipline has been violated it stays violated through invisible steps. The tool's q is \
               sticky, so this holds by construction; it is checked all the same.",
        breaks: "nothing, for models.",
        mend: "a failure would be a bug of coarsen: please report it.",
    },
    Topic {
        name: "hides",
        formula: "I u_i <= u_i I, written hides(NAME) for a property NAME",
        says: "I are the states that a property is about: those that violate an invariant, or those that a `reach` \
               looks for. No invisible step leads out of them, so that a coarse step that enters one still shows it \
               at its end (corollary (a)).",
        breaks: "an invisible step that repairs an invariant which an earlier one broke.",
        mend: "without --strict the step is made visible. Or state the invariant so that it speaks of the states \
               between critical sections.",
    },
    Topic {
        name: "WFinitVis",
        formula: "initially no invisible step is enabled",
        says: "Every thread starts in front of a visible step, so that the initial states are states of the reduced \
               system.",
        breaks: "a thread that begins with local or protected accesses.",
        mend: "without --strict the thread's first step is made visible; it costs little.",
    },
    Topic {
        name: "WFsep",
        formula: "visible and invisible steps of one thread are never enabled together",
        says: "At each state a thread's next steps are all visible or all invisible (hypothesis 16).",
        breaks: "an `either` whose branches begin with a visible and an invisible step.",
        mend: "begin all branches alike, or let the repair make the choice visible.",
    },
    Topic {
        name: "WFacc",
        formula: "nondeterminism inside a step does not change what it accesses",
        says: "If a step can end in several states, it accesses the same protected variables in all of them; otherwise \
               one outcome could violate the discipline while another hides it.",
        breaks: "`havoc` or `either` inside an `atomic` block, followed by accesses that depend on the choice.",
        mend: "take the choice in a step of its own, before the block.",
    },
    Topic {
        name: "WFfiniteInvis",
        formula: "no infinite run of invisible steps of one thread",
        says: "The condition on programs behind hypothesis 11.",
        breaks: "a loop of invisible steps.",
        mend: "see 11.",
    },
    Topic {
        name: "WFinitExcl",
        formula: "initially no two threads have exclusive access to one variable",
        says: "The discipline holds in the initial states: the predicates of two threads for one variable are \
               disjoint.",
        breaks: "a predicate that is true before anything happened, such as `!done`, for several threads.",
        mend: "name the thread in the predicate: `self == 0 && !done`, or a lock's owner.",
    },
    Topic {
        name: "WFendExcl",
        formula: "no thread falsifies another's exclusive access",
        says: "Only a thread itself gives up its exclusive access; a step of another thread never takes it away.",
        breaks: "a predicate over variables that other threads write, such as a flag that anyone may reset.",
        mend: "let the predicate depend on what only its thread changes while it holds (its location, a lock it \
               owns).",
    },
];
