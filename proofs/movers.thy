// Left movers, right movers and transactions, for any number of threads: what the proofs of Theorem A.1 of Flanagan & Qadeer 2003, of its two
// halves and of Lipton 1975 share. Nothing here rests on hypotheses of a theory: what a line needs are its premises, always under these names:
//
//   A1  initially no thread is in a transaction (or: none is behind its commit point)
//   A2  no step leads from behind the commit point to before it
//   A3  steps to before the commit point move to the right of steps of others
//   A4  steps from behind the commit point move to the left of steps of others
//   A6  a thread behind its commit point can get away from there
//   L   others neither put a thread behind its commit point nor take it away
//   R   others don't put a thread before its commit point
//   W   others neither make a thread go wrong nor right it
//
// t[i] are the steps of thread i; r[i] and l[i] say that it is before or behind its commit point. They may overlap: nothing here needs that they
// don't.

level top;

action t[i], x, y, z;
test l[i], r[i], w[i], init;

identity pass_run [h : x y <= y x] : x* y <= y x* by h, induction;
identity run_passes [h : x y <= z x] : x y* <= z* x by h, induction;
identity runs_pass [h : x y <= y x] : x* y* <= y* x* by h, pass_run, induction;
identity sorted [h : y x <= x y] : (x + y)* <= x* y* by h, pass_run(x := y, y := x), induction;

let steps = (+ i : t[i]);

// Local tests: that no other thread is in l.

let out = (. i : ~l[i]);
let outs[i] = (. j != i : ~l[j]);
let calm = (+ i : outs[i] t[i]);                // the system in which threads behind their commit points are not interrupted

identity out_member : out <= outs[i] by product_elim, product_intro;
identity out_whole_member : outs[i] ~l[i] <= ~l[j] by cases(i, j), product_elim;
identity out_whole : outs[i] ~l[i] <= out by product_intro, out_whole_member;

// Sums of tests are eliminated with a letter y in them, for which 1 is put later.
identity outs_reflected_member [L : i != j => l[i] t[j] = t[j] l[i]] : i != j => l[j] t[i] outs[i] <= 0 by L, product_elim;
identity outs_reflected_sum [L : i != j => l[i] t[j] = t[j] l[i]] : (+ j != i : y l[j]) t[i] outs[i] <= 0
    by L, outs_reflected_member, sum_elim;
identity outs_kept_member [L : i != j => l[i] t[j] = t[j] l[i]] : i != j => outs[i] t[i] l[j] <= 0 by L, product_elim;
identity outs_kept_sum [L : i != j => l[i] t[j] = t[j] l[i]] : outs[i] t[i] (+ j != i : l[j] y) <= 0
    by L, outs_kept_member, sum_elim;
identity outs_stay [L : i != j => l[i] t[j] = t[j] l[i]] : outs[i] t[i] = t[i] outs[i]
    by L, outs_kept_sum(y := 1), outs_reflected_sum(y := 1);

// Left movers. A thread begins a block with a step from outside l; steps behind the commit point follow; a block is complete when they have led
// out of l. Steps behind the commit point are moved to the left, first all of them, then each to the block that it belongs to.

let left = (+ i : l[i] t[i]);
let lefts[i] = (+ j != i : l[j] t[j]);
let begun[i] = ~l[i] t[i] (l[i] t[i])*;
let block[i] = begun[i] ~l[i];
let blocks = (+ i : block[i]);
let others[i] = (+ j != i : block[j]);

identity lefts_pass_step [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j]] : t[i] lefts[i] <= lefts[i] t[i] by A4, sum_elim, sum_intro;
identity lefts_pass_left [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
    l[i] t[i] lefts[i] <= lefts[i] l[i] t[i] by A4, L, sum_elim, sum_intro;
identity lefts_pass_test [L : i != j => l[i] t[j] = t[j] l[i]] : ~l[i] lefts[i] <= lefts[i] ~l[i] by L, sum_elim;
identity left_split : left <= l[i] t[i] + lefts[i] by separate(i);
identity left_one : l[i] t[i] <= left by sum_intro;
identity left_others : lefts[i] <= left by sum_elim, sum_intro;
identity left_sorted [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
       left*
    <= (lefts[i] + l[i] t[i])* by left_split
    <= lefts[i]* (l[i] t[i])* by A4, L, lefts_pass_left, sorted(x := lefts[i], y := l[i] t[i]);
identity block_one : block[i] <= blocks by sum_intro;
identity block_others : others[i] <= blocks by sum_elim, sum_intro;
identity block_split : blocks <= block[i] + others[i] by separate(i);

identity first_step [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
       ~l[i] t[i] left*
    <= ~l[i] t[i] lefts[i]* (l[i] t[i])* by A4, L, left_sorted
    <= ~l[i] lefts[i]* t[i] (l[i] t[i])* by A4, lefts_pass_step, run_passes(x := t[i], y := lefts[i], z := lefts[i])
    <= lefts[i]* begun[i] by L, lefts_pass_test
    <= left* begun[i] by left_others;

// A run of steps that ends in x is one of steps behind commit points, then blocks, if blocks before x can be completed.

identity step_back
    [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i], rest : begun[i] l[i] blocks* x <= blocks* x] :
       t[i] left* blocks* x
    <= l[i] t[i] left* blocks* x + ~l[i] t[i] left* blocks* x
    <= left* blocks* x + left* begun[i] blocks* x by left_one, A4, L, first_step
    <= left* blocks* x + left* block[i] blocks* x + left* begun[i] l[i] blocks* x
    <= left* blocks* x + left* block[i] blocks* x by rest
    <= left* blocks* x by block_one;
identity run_back
    [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i], rest : begun[i] l[i] blocks* x <= blocks* x] :
    steps* x <= left* blocks* x by A4, L, rest, step_back, sum_elim, induction;

// Behind its commit point a thread begins no block.

identity others_keep [L : i != j => l[i] t[j] = t[j] l[i]] : l[i] others[i] <= others[i] l[i] by L, sum_elim;
identity blocks_keep [L : i != j => l[i] t[j] = t[j] l[i]] :
       l[i] blocks
    <= l[i] others[i] by block_split
    <= others[i] l[i] by L, others_keep;
identity no_block [L : i != j => l[i] t[j] = t[j] l[i]] : l[i] blocks* <= others[i]* l[i]
    by L, blocks_keep, run_passes(x := l[i], y := blocks, z := others[i]);

// If all are outside l at the end, there is nothing to complete. So it is if thread i has gone wrong at the end: a block of another can be
// completed then, and one of i that is not complete is its last one.

let ended[i] = (1 + begun[i]) w[i] T;

identity others_found [W : i != j => w[i] t[j] = t[j] w[i]] : others[i]* w[i] T <= w[i] T by W, sum_elim, induction;
identity unfinished_own [L : i != j => l[i] t[j] = t[j] l[i], W : i != j => w[i] t[j] = t[j] w[i]] :
       begun[i] l[i] blocks* ended[i]
    <= begun[i] others[i]* l[i] ended[i] by L, no_block
    <= begun[i] others[i]* w[i] T
    <= begun[i] w[i] T by W, others_found
    <= blocks* ended[i];
identity left_run_passes [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] : i != j =>
    (l[j] t[j])* l[i] t[i] <= l[i] t[i] (l[j] t[j])* by A4, L, induction;
identity begun_passes [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] : i != j =>
       begun[j] l[i] t[i]
    <= ~l[j] t[j] l[i] t[i] (l[j] t[j])* by A4, L, left_run_passes
    <= ~l[j] l[i] t[i] t[j] (l[j] t[j])* by A4
    <= l[i] t[i] begun[j] by L;
identity ended_finish
    [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], A6 : l[i] T <= t[i]* ~l[i] T, L : i != j => l[i] t[j] = t[j] l[i],
     W : i != j => w[i] t[j] = t[j] w[i]] : i != j =>
       l[i] ended[j]
    <= (1 + begun[j]) w[j] l[i] T by L
    <= (1 + begun[j]) w[j] (l[i] t[i])* ~l[i] T by A6
    <= (1 + begun[j]) (l[i] t[i])* w[j] ~l[i] T by W
    <= (l[i] t[i])* (1 + begun[j]) w[j] ~l[i] T
           by A4, L, begun_passes, run_passes(x := 1 + begun[j], y := l[i] t[i], z := l[i] t[i])
    <= (l[i] t[i])* ~l[i] ended[j] by L;
identity others_pass [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
    others[i] l[i] t[i] <= l[i] t[i] others[i] by A4, L, begun_passes, sum_elim, sum_intro;
identity others_pass_test [L : i != j => l[i] t[j] = t[j] l[i]] : others[i] ~l[i] <= ~l[i] others[i] by L, sum_elim;
identity finish_first [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
       begun[i] others[i]* (l[i] t[i])* ~l[i]
    <= begun[i] (l[i] t[i])* others[i]* ~l[i] by A4, L, others_pass, runs_pass(x := others[i], y := l[i] t[i])
    <= begun[i] (l[i] t[i])* ~l[i] others[i]* by L, others_pass_test
    <= block[i] others[i]*;
identity unfinished_other
    [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], A6 : l[i] T <= t[i]* ~l[i] T, L : i != j => l[i] t[j] = t[j] l[i],
     W : i != j => w[i] t[j] = t[j] w[i]] : i != j =>
       begun[i] l[i] blocks* ended[j]
    <= begun[i] others[i]* l[i] ended[j] by L, no_block
    <= begun[i] others[i]* (l[i] t[i])* ~l[i] ended[j] by A4, A6, L, W, ended_finish
    <= block[i] others[i]* ended[j] by A4, L, finish_first
    <= blocks* ended[j] by block_one, block_others;
identity unfinished
    [A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], A6 : l[i] T <= t[i]* ~l[i] T, L : i != j => l[i] t[j] = t[j] l[i],
     W : i != j => w[i] t[j] = t[j] w[i]] :
    begun[i] l[i] blocks* ended[j] <= blocks* ended[j] by cases(i, j), A4, A6, L, W, unfinished_own, unfinished_other;

// Begun with all outside l, blocks are runs of the system in which threads behind their commit points are not interrupted.

identity steps_calm [L : i != j => l[i] t[j] = t[j] l[i]] : outs[i] t[i]* <= (outs[i] t[i])* outs[i] by L, outs_stay;
identity calm_run : (outs[i] t[i])* <= calm* by sum_intro;
identity run_calm [L : i != j => l[i] t[j] = t[j] l[i]] :
       out t[i]*
    <= outs[i] t[i]* by out_member
    <= (outs[i] t[i])* outs[i] by L, steps_calm
    <= calm* outs[i] by calm_run;
identity block_calm [L : i != j => l[i] t[j] = t[j] l[i]] :
       out block[i]
    <= out t[i]* ~l[i]
    <= calm* outs[i] ~l[i] by L, run_calm
    <= calm* out by out_whole;
identity blocks_calm [L : i != j => l[i] t[j] = t[j] l[i]] : out blocks <= calm* out by L, block_calm, sum_elim;
identity blocks_run_calm [L : i != j => l[i] t[j] = t[j] l[i]] : out blocks* <= calm* out
    by L, blocks_calm, run_passes(x := out, y := blocks, z := calm*);

identity init_out [A1 : init <= ~l[i]] : init <= out by A1, product_intro;
identity init_left [A1 : init <= ~l[i]] : init left <= 0 by A1, sum_elim;

identity left_movers
    [A1 : init <= ~l[i], A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], A6 : l[i] T <= t[i]* ~l[i] T,
     L : i != j => l[i] t[j] = t[j] l[i], W : i != j => w[i] t[j] = t[j] w[i]] :
       init steps* w[k] T
    <= init steps* ended[k]
    <= init left* blocks* ended[k] by A4, A6, L, W, unfinished, run_back(x := ended[k])
    <= init out blocks* ended[k] by A1, init_out, init_left
    <= init calm* out ended[k] by L, blocks_run_calm
    <= init calm* out t[k]* w[k] T
    <= init calm* outs[k] w[k] T by L, run_calm;
identity left_movers_end
    [A1 : init <= ~l[i], A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i]] :
       init steps* out
    <= init left* blocks* out by A4, L, no_block, run_back(x := out), product_elim
    <= init out blocks* out by A1, init_out, init_left
    <= init calm* out by L, blocks_run_calm;

// Right movers: to the system in which no thread in a transaction is interrupted.

let quiet = (. i : ~r[i] ~l[i]);
let quiets[i] = (. j != i : ~r[j] ~l[j]);
let serial = (+ i : quiets[i] t[i]);
let serials[i] = (+ j != i : quiets[j] t[j]);
let right = (+ i : t[i] r[i]);
let rights[i] = (+ j != i : t[j] r[j]);

identity quiet_member : quiet <= quiets[i] by product_elim, product_intro;
identity quiet_out : quiet <= out by product_elim, product_intro;
identity quiet_whole_member : quiets[i] ~r[i] ~l[i] <= ~r[j] ~l[j] by cases(i, j), product_elim;
identity quiet_whole : quiets[i] ~r[i] ~l[i] <= quiet by product_intro, quiet_whole_member;
identity serial_split : serial <= quiets[i] t[i] + serials[i] by separate(i);
identity serial_one : quiets[i] t[i] <= serial by sum_intro;
identity serial_others : serials[i] <= serial by sum_elim, sum_intro;
identity right_split : right <= t[i] r[i] + rights[i] by separate(i);
identity right_others : rights[i] <= right by sum_elim, sum_intro;

identity quiets_kept_member [L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] : i != j =>
    quiets[i] t[i] (r[j] + l[j]) <= 0 by L, R, product_elim;
identity quiets_kept_sum [L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    quiets[i] t[i] (+ j != i : (r[j] + l[j]) y) <= 0 by L, R, quiets_kept_member, sum_elim;
identity quiets_kept [L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    quiets[i] t[i] <= t[i] quiets[i] by L, R, quiets_kept_sum(y := 1);
identity quiets_run [L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    quiets[i] (t[i] r[i])* <= (quiets[i] t[i])* quiets[i] by L, R, quiets_kept;
identity serial_run : (quiets[i] t[i])* <= serial* by serial_one;

// In that system a thread before its commit point has run alone since all were outside.

let alone[i] = quiets[i] t[i] r[i];
let k[i] = init serial* ~r[i] + init serial* quiet alone[i] alone[i]*;

identity serials_guarded : serials[i] <= ~r[i] ~l[i] serials[i] by product_elim, sum_elim;
identity serials_keep [L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    ~r[i] ~l[i] serials[i] <= serials[i] ~r[i] ~l[i] by L, R, sum_elim;
identity k_outside
    [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       ~r[i] serial
    <= ~r[i] quiets[i] t[i] + ~r[i] serials[i] by serial_split
    <= quiets[i] t[i] ~r[i] + ~r[i] ~l[i] quiets[i] t[i] r[i] + ~r[i] serials[i] by A2
    <= quiets[i] t[i] ~r[i] + quiet alone[i] + ~r[i] serials[i] by quiet_whole
    <= quiets[i] t[i] ~r[i] + quiet alone[i] + ~r[i] ~l[i] serials[i] by serials_guarded
    <= quiets[i] t[i] ~r[i] + quiet alone[i] + serials[i] ~r[i] by L, R, serials_keep
    <= serial ~r[i] + quiet alone[i] by serial_one, serial_others;
identity k_inside :
       alone[i] serial
    <= alone[i] quiets[i] t[i] + alone[i] serials[i] by serial_split
    <= alone[i] quiets[i] t[i] + alone[i] ~r[i] ~l[i] serials[i] by serials_guarded
    <= alone[i] quiets[i] t[i] ~r[i] + alone[i] alone[i];
identity alone_run : alone[i]* quiets[i] t[i] <= (quiets[i] t[i])* <= serial* by serial_one;
identity k_step
    [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       k[i] serial
    <= init serial* ~r[i] serial + init serial* quiet alone[i]* alone[i] serial
    <= k[i] + init serial* quiet alone[i]* alone[i] serial by A2, L, R, k_outside
    <= k[i] + init serial* alone[i]* quiets[i] t[i] ~r[i] by k_inside
    <= k[i] + init serial* serial* ~r[i] by alone_run
    <= k[i];
identity k_run
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    init serial* <= k[i] by A1, A2, L, R, k_step, induction;
identity from_quiet
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       init serial* r[i]
    <= k[i] r[i] by A1, A2, L, R, k_run
    <= init serial* quiet (t[i] r[i])*;

// So what another thread in r has done can be moved to the right of a run of thread i, which then was the only one inside.

identity rights_pass_step [A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i]] :
    rights[i] t[i] <= t[i] rights[i] by A3, sum_elim, sum_intro;
identity rights_pass_right
    [A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    rights[i] t[i] r[i] <= t[i] r[i] rights[i] by A3, R, sum_elim, sum_intro;
identity right_sorted
    [A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       right*
    <= (t[i] r[i] + rights[i])* by right_split
    <= (t[i] r[i])* rights[i]* by A3, R, rights_pass_right, sorted(x := t[i] r[i], y := rights[i]);

identity outs_quiets_member : i != j => outs[i] (. j != i : ~r[j]) <= ~r[j] ~l[j] by product_elim;
identity outs_quiets : outs[i] (. j != i : ~r[j]) <= quiets[i] by product_intro, outs_quiets_member;
identity outs_split : outs[i] <= quiets[i] + (+ j != i : r[j]) by outs_quiets;

identity pull_member
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] : i != j =>
       init serial* r[j] (t[i] r[i])*
    <= init serial* quiet (t[j] r[j])* (t[i] r[i])* by A1, A2, L, R, from_quiet
    <= init serial* quiet (t[i] r[i])* (t[j] r[j])* by A3, R, runs_pass(x := t[j] r[j], y := t[i] r[i])
    <= init serial* quiet (t[i] r[i])* rights[i]* by sum_intro
    <= init serial* quiets[i] (t[i] r[i])* rights[i]* by quiet_member;
identity pull_sum
    [y1 : y <= 1, A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    init serial* (+ j != i : y r[j]) (t[i] r[i])* <= init serial* quiets[i] (t[i] r[i])* rights[i]*
    by y1, A1, A2, A3, L, R, pull_member, sum_elim;
identity pull
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       init serial* outs[i] (t[i] r[i])*
    <= init serial* (quiets[i] + (+ j != i : r[j])) (t[i] r[i])* by outs_split
    <= init serial* quiets[i] (t[i] r[i])* rights[i]* by A1, A2, A3, L, R, pull_sum(y := 1);

// Steps to before the commit point lead out of l.

identity right_outs_own [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i]] : i != j =>
    l[j] t[k] r[k] outs[i] <= 0 by cases(j, k), A2, L, product_elim;
identity right_outs_member [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i]] : i != j =>
    l[j] right outs[i] <= 0 by A2, L, right_outs_own, sum_elim;
identity right_outs_sum [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i]] :
    (+ j != i : y l[j]) right outs[i] <= 0 by A2, L, right_outs_member, sum_elim;
identity right_outs [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i]] :
    right outs[i] <= outs[i] right by A2, L, right_outs_sum(y := 1);
identity right_outs_run [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i]] :
    right* outs[i] <= outs[i] right* by A2, L, right_outs;

// A run of the system in which threads behind their commit points are not interrupted is one in which nobody is, then steps to before commit points.

let J = init serial* right*;

identity j_pull
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       J outs[i]
    <= init serial* outs[i] right* by A2, L, right_outs_run
    <= init serial* outs[i] (t[i] r[i])* rights[i]* by A3, R, right_sorted
    <= init serial* quiets[i] (t[i] r[i])* rights[i]* by A1, A2, A3, L, R, pull
    <= init serial* (quiets[i] t[i])* quiets[i] rights[i]* by L, R, quiets_run
    <= init serial* quiets[i] rights[i]* by serial_run;
identity j_step
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       J outs[i] t[i]
    <= init serial* quiets[i] rights[i]* t[i] by A1, A2, A3, L, R, j_pull
    <= init serial* quiets[i] t[i] rights[i]* by A3, rights_pass_step, pass_run(x := rights[i], y := t[i])
    <= J by serial_one, right_others;
identity j_run
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    init calm* <= J by A1, A2, A3, L, R, j_step, sum_elim, induction;

identity rights_found [W : i != j => t[j] w[i] <= w[i] t[j]] : rights[i]* w[i] T <= w[i] T by W, sum_elim, induction;
identity right_movers
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j], W : i != j => t[j] w[i] <= w[i] t[j]] :
       init calm* outs[i] w[i] T
    <= J outs[i] w[i] T by A1, A2, A3, L, R, j_run
    <= init serial* quiets[i] rights[i]* w[i] T by A1, A2, A3, L, R, j_pull
    <= init serial* w[i] T by W, rights_found;
identity right_quiet : right quiet <= 0 by product_elim, sum_elim;
identity right_movers_end
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       init calm* quiet
    <= J quiet by A1, A2, A3, L, R, j_run
    <= init serial* quiet by right_quiet;

// Transactions: what a thread does between two states in which it is outside. They are right movers, any one step, and left movers.

let whole[i] = ~r[i] ~l[i] (~l[i] t[i] r[i])* ~l[i] t[i] (l[i] t[i])* ~r[i] ~l[i];
let wholes = (+ i : whole[i]);
let go[i] = quiets[i] t[i] (r[i] + l[i]);
let going = (+ i : quiet go[i] go[i]*);

identity go_on : go[i] serial
    <= go[i] quiets[i] t[i] + go[i] serials[i] by serial_split
    <= go[i] quiets[i] t[i] + go[i] ~r[i] ~l[i] serials[i] by serials_guarded
    <= go[i] go[i] + go[i] quiets[i] t[i] ~r[i] ~l[i];
identity go_home [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       quiet go[i]* quiets[i] t[i] ~r[i] ~l[i]
    <= quiet go[i]* t[i] quiets[i] ~r[i] ~l[i] by L, R, quiets_kept
    <= quiet (t[i] (r[i] + l[i]))* t[i] ~r[i] ~l[i] quiet by quiet_whole
    <= ~r[i] ~l[i] (t[i] (r[i] + l[i]))* t[i] ~r[i] ~l[i] quiet by product_elim
    <= whole[i] quiet by A2
    <= wholes quiet by sum_intro;
identity go_first [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       quiet quiets[i] t[i]
    <= quiet go[i] + quiet go[i]* quiets[i] t[i] ~r[i] ~l[i]
    <= quiet go[i] + wholes quiet by A2, L, R, go_home
    <= going + wholes quiet by sum_intro;
identity go_next [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       quiet go[i] go[i]* serial
    <= quiet go[i]* go[i] serial
    <= quiet go[i] go[i]* + quiet go[i]* quiets[i] t[i] ~r[i] ~l[i] by go_on
    <= quiet go[i] go[i]* + wholes quiet by A2, L, R, go_home
    <= going + wholes quiet by sum_intro;
identity going_step [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    (quiet + going) serial <= going + wholes quiet by A2, L, R, go_first, go_next, sum_elim;
identity going_run [A2 : l[i] t[i] r[i] = 0, L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
    quiet serial* <= wholes* (quiet + going) by A2, L, R, going_step, induction;
identity going_end : going quiet <= 0 by product_elim, sum_elim;
identity init_quiet [A1 : init <= ~r[i] ~l[i]] : init <= quiet by A1, product_intro;
identity transactions
    [A1 : init <= ~r[i] ~l[i], A2 : l[i] t[i] r[i] = 0, A3 : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i],
     A4 : i != j => t[j] l[i] t[i] <= l[i] t[i] t[j], L : i != j => l[i] t[j] = t[j] l[i], R : i != j => t[j] r[i] <= r[i] t[j]] :
       init steps* quiet
    <= init steps* out quiet by quiet_out
    <= init calm* out quiet by A1, A4, L, left_movers_end
    <= init serial* quiet by A1, A2, A3, L, R, right_movers_end
    <= init quiet serial* quiet by A1, init_quiet
    <= init wholes* (quiet + going) quiet by A2, L, R, going_run
    <= init wholes* quiet by going_end;
