(** Omega algebra with finite sums over processes, and the rules of coarsen's kernel as lemmas.

    An omega algebra (Stoller & Cohen 2003, section 2; Cohen 2000) is a Kleene algebra with tests (relation-algebra's [kat.laws]) with a
    greatest element and an operator for infinite iteration. Nothing here is an axiom: [omega_algebra] and [processes] are classes, and the
    last section shows that binary relations are an instance. *)

From Coq Require Import List.
From RelationAlgebra Require Export kat_tac kleene kat.
From RelationAlgebra Require rel.
Import ListNotations.
Set Implicit Arguments.

(** Elements are [K n n], tests are [tst n]; [[p]] is a test as an element. *)
Class omega_algebra (K : kat.ops) (n : ob (@kar K)) := {
  oa_laws :> kat.laws K;
  (** Tests are elements: those that have complements. *)
  oa_tests : forall p q : @tst K n, [p] ≦ [q] -> p ≦ q;
  T : K n n;
  oa_top : forall x : K n n, x ≦ T;
  om : K n n -> K n n;
  oa_unfold : forall x : K n n, om x ≡ x ⋅ om x;
  oa_coinduction : forall x y z : K n n, y ≦ x ⋅ y + z -> y ≦ om x + x^* ⋅ z
}.

(** Domain and codomain (Desharnais, Möller & Struth 2006): where executions begin, and where they end. For a test [y] the second law says that
    the domain is the least; for other [y] it is locality. *)
Class domain_algebra (K : kat.ops) (n : ob (@kar K)) := {
  dm : K n n -> @tst K n;
  cd : K n n -> @tst K n;
  da_dm : forall x : K n n, x ≦ [dm x] ⋅ x;
  da_cd : forall x : K n n, x ≦ x ⋅ [cd x];
  da_before : forall x y : K n n, y ⋅ x ≦ 0 -> y ⋅ [dm x] ≦ 0;
  da_behind : forall x y : K n n, x ⋅ y ≦ 0 -> [cd x] ⋅ y ≦ 0
}.

(** Divergence (Desharnais, Möller & Struth 2011): from where executions can follow each other for ever. The second law there has [p ≦ dm (x p) + q];
    that with [q] = 0 gives it, as tests have complements. *)
Class divergence_algebra (K : kat.ops) (n : ob (@kar K)) (D : domain_algebra K n) := {
  dv : K n n -> @tst K n;
  va_unfold : forall x : K n n, dv x ≦ dm (x ⋅ [dv x]);
  va_greatest : forall (x : K n n) (p : @tst K n), p ≦ dm (x ⋅ [p]) -> p ≦ dv x
}.

(** Finitely many processes, at least one, which can be told apart. *)
Class processes := {
  process : Set;
  same : forall i j : process, {i = j} + {i <> j};
  everyone : list process;
  oa_everyone : forall i, In i everyone;
  someone : process
}.

(** * Lists of processes left out *)

Lemma not_nil {I} {j : I} : ~ In j [].
Proof. intros []. Qed.
Lemma not_cons {I} {i j : I} {l} : i <> j -> ~ In j l -> ~ In j (i :: l).
Proof. intros ? ? [?|?]; contradiction. Qed.
Lemma not_head {I} {i j : I} {l} : ~ In j (i :: l) -> i <> j.
Proof. intros H E. apply H. now left. Qed.
Lemma not_tail {I} {i j : I} {l} : ~ In j (i :: l) -> ~ In j l.
Proof. intros H E. apply H. now right. Qed.

(** Proves that two lists have the same members. *)
Ltac members := intro; cbn; tauto.

Section rules.
Context {K : kat.ops} {n : ob (@kar K)} {A : omega_algebra K n} {P : processes}.
Notation X := (car (@mor (@kar K) n n)).
Notation B := (car (@tst K n)).
Implicit Types x y z a b c : X.
Implicit Types p q : B.

(** * Order *)

Lemma rfl {x} : x ≦ x.
Proof. reflexivity. Qed.
Lemma tr {x y z} : x ≦ y -> y ≦ z -> x ≦ z.
Proof. intros H. now rewrite H. Qed.
Lemma le {x y} : x ≡ y -> x ≦ y.
Proof. intro H. now rewrite H. Qed.
Lemma ge {x y} : x ≡ y -> y ≦ x.
Proof. intro H. now rewrite H. Qed.
Lemma both {x y} : x ≦ y -> y ≦ x -> x ≡ y.
Proof. apply antisym. Qed.
Lemma rfe {x} : x ≡ x.
Proof. reflexivity. Qed.
Lemma tre {x y z} : x ≡ y -> y ≡ z -> x ≡ z.
Proof. intros H. now rewrite H. Qed.
Lemma sye {x y} : x ≡ y -> y ≡ x.
Proof. now symmetry. Qed.

(** What [kat] does, without its search for the order and the laws. *)
Lemma by_equation {x y} : (let L := oa_laws in x + y ≡ y) -> x ≦ y.
Proof. intro H. now apply leq_iff_cup. Qed.
Lemma by_equation' {x y} : (let L := oa_laws in x ≡ y) -> x ≡ y.
Proof. trivial. Qed.

(** * Contexts *)

Lemma le_cup {a b x y} : a ≦ b -> x ≦ y -> a + x ≦ b + y.
Proof. intros H H'. now rewrite H, H'. Qed.
Lemma le_dot {a b x y} : a ≦ b -> x ≦ y -> a ⋅ x ≦ b ⋅ y.
Proof. intros H H'. now apply dot_leq. Qed.
Lemma le_str {x y} : x ≦ y -> x^* ≦ y^*.
Proof. intros H. now apply str_leq. Qed.
Lemma le_om {x y} : x ≦ y -> om x ≦ om y.
Proof.
  intro H. assert (E : om x ≦ om y + y^* ⋅ 0).
  { apply oa_coinduction. rewrite oa_unfold at 1. rewrite cupxb. now apply dot_leq. }
  rewrite E. kat.
Qed.
Lemma eq_cup {a b x y} : a ≡ b -> x ≡ y -> a + x ≡ b + y.
Proof. intros H H'. now rewrite H, H'. Qed.
Lemma eq_dot {a b x y} : a ≡ b -> x ≡ y -> a ⋅ x ≡ b ⋅ y.
Proof. intros H H'. now apply dot_weq. Qed.
Lemma eq_str {x y} : x ≡ y -> x^* ≡ y^*.
Proof. intros H. now apply str_weq. Qed.
Lemma eq_om {x y} : x ≡ y -> om x ≡ om y.
Proof. intros H. apply antisym; apply le_om; now rewrite H. Qed.

(** * Tests *)

Lemma eq_tests {p q} : [p] ≡ [q] -> p ≡ q.
Proof. intro H. apply antisym; apply oa_tests; now rewrite H. Qed.
Lemma eq_inj {p q} : p ≡ q -> [p] ≡ [q].
Proof. intros H. now apply inj_weq. Qed.
Lemma tre_test {p q r : B} : p ≡ q -> q ≡ r -> p ≡ r.
Proof. intros H. now rewrite H. Qed.
Lemma ref_test {p} : p ≡ p.
Proof. reflexivity. Qed.
Lemma eq_or {p q p' q' : B} : p ≡ p' -> q ≡ q' -> p ⊔ q ≡ p' ⊔ q'.
Proof. intros H H'. now apply cup_weq. Qed.
Lemma eq_and {p q p' q' : B} : p ≡ p' -> q ≡ q' -> p ⊓ q ≡ p' ⊓ q'.
Proof. intros H H'. now apply cap_weq. Qed.
Lemma eq_not {p q : B} : p ≡ q -> !p ≡ !q.
Proof. intros H. now apply neg_weq. Qed.

(** * Top and omega *)

Lemma top_star x : T ≡ (x + T)^*.
Proof. apply antisym; [|apply oa_top]. rewrite <- str_ext. apply leq_xcup. now right. Qed.
Lemma top_star_alone : T ≡ T^*.
Proof. apply antisym; [|apply oa_top]. apply str_ext. Qed.
Lemma om_top x : om x ≡ om x ⋅ T.
Proof.
  apply antisym.
  - rewrite <- (dotx1 (om x)) at 1. apply dot_leq; [reflexivity|apply oa_top].
  - assert (E : om x ⋅ T ≦ om x + x^* ⋅ 0).
    { apply oa_coinduction. rewrite oa_unfold at 1. rewrite cupxb, dotA. reflexivity. }
    rewrite E. kat.
Qed.
Lemma om_zero : om 0 ≡ 0.
Proof. rewrite oa_unfold. kat. Qed.
Lemma om_one : om 1 ≡ T.
Proof.
  apply antisym; [apply oa_top|].
  assert (E : T ≦ om 1 + 1^* ⋅ 0) by (apply oa_coinduction; kat).
  rewrite E. kat.
Qed.
Lemma om_of_top : om T ≡ T.
Proof.
  apply antisym; [apply oa_top|]. rewrite <- om_one at 1. apply le_om, oa_top.
Qed.

(** * Sums over processes: over all that are not on a list. A product of tests is the complement of the sum of their complements. *)

Section sums.
Context {Y : lattice.ops} {L : lattice.laws (CUP+BOT) Y}.
Implicit Types f g : process -> Y.
Definition leaves_out (but : list process) i := if in_dec same i but then true else false.
Definition over but f : Y := fold_right (fun i s => if leaves_out but i then s else f i ⊔ s) bot everyone.

Lemma over_spec but f (s : Y) : over but f ≦ s <-> forall i, ~ In i but -> f i ≦ s.
Proof.
  assert (E : forall l, fold_right (fun i s => if leaves_out but i then s else f i ⊔ s) bot l ≦ s
                <-> forall i, In i l -> ~ In i but -> f i ≦ s).
  { induction l as [|i l IH]; cbn.
    - split; [intros _ ? []|intros _; apply leq_bx].
    - unfold leaves_out at 1. destruct (in_dec same i but) as [N|N].
      + rewrite IH. split; intros H j; [intros [<-|J] ?|intros J ?]; auto; contradiction.
      + rewrite cup_spec, IH. split.
        * intros [H H'] j [<-|J] ?; auto.
        * intros H. split; auto. }
  unfold over. rewrite E. split; intros H i; intros; auto using oa_everyone.
Qed.
Lemma over_intro but f i : ~ In i but -> f i ≦ over but f.
Proof. intros. now apply (proj1 (over_spec but f (over but f))). Qed.
Lemma over_le but f g : (forall i, ~ In i but -> f i ≦ g i) -> over but f ≦ over but g.
Proof. intros H. apply over_spec. intros i N. rewrite (H i N). now apply over_intro. Qed.
Lemma over_eq but f g : (forall i, ~ In i but -> f i ≡ g i) -> over but f ≡ over but g.
Proof. intros H. apply antisym; apply over_le; intros i N; now rewrite (H i N). Qed.
Lemma over_but but but' f : (forall i, In i but <-> In i but') -> over but f ≡ over but' f.
Proof.
  intros H. apply antisym; apply over_spec; intros i N; apply over_intro; intro; apply N; now apply H.
Qed.
Lemma over_bot but : over but (fun _ => bot) ≡ bot.
Proof. apply antisym; [|apply leq_bx]. now apply over_spec. Qed.
Lemma over_separate but f i : over but f ≦ f i ⊔ over (i :: but) f.
Proof.
  apply over_spec. intros j N. destruct (same i j) as [<-|D].
  - apply leq_xcup. now left.
  - apply leq_xcup. right. apply over_intro. now apply not_cons.
Qed.
End sums.

#[local] Instance sums_x : lattice.laws (CUP+BOT) (@mor (@kar K) n n).
Proof. apply (lower_lattice_laws (h:=BKA)). Qed.
#[local] Instance sums_t : lattice.laws (CUP+BOT) (@tst K n).
Proof. apply (lower_lattice_laws (h:=BL)). Qed.

Definition sumx but (f : process -> X) : X := over but f.
Definition sumt but (f : process -> B) : B := over but f.

Lemma le_sumx {but} {f g : process -> X} : (forall i, f i ≦ g i) -> sumx but f ≦ sumx but g.
Proof. intros H. now apply over_le. Qed.
Lemma eq_sumx {but} {f g : process -> X} : (forall i, f i ≡ g i) -> sumx but f ≡ sumx but g.
Proof. intros H. now apply over_eq. Qed.
Lemma eq_sumt {but} {f g : process -> B} : (forall i, f i ≡ g i) -> sumt but f ≡ sumt but g.
Proof. intros H. now apply over_eq. Qed.
Lemma but_sumx but but' {f : process -> X} : (forall i, In i but <-> In i but') -> sumx but f ≡ sumx but' f.
Proof. apply over_but. Qed.
Lemma but_sumt but but' {f : process -> B} : (forall i, In i but <-> In i but') -> sumt but f ≡ sumt but' f.
Proof. apply over_but. Qed.
Lemma sumx_zero {but} : sumx but (fun _ => 0) ≡ 0.
Proof. apply over_bot. Qed.
Lemma sumt_bot {but} : sumt but (fun _ => bot) ≡ bot.
Proof. apply over_bot. Qed.
Lemma sumx_tests {but} (f : process -> B) : sumx but (fun i => [f i]) ≡ [sumt but f].
Proof.
  unfold sumx, sumt, over. induction everyone as [|i l IH]; cbn.
  - symmetry. apply inj_bot.
  - destruct (leaves_out but i); trivial. now rewrite IH, inj_cup.
Qed.

(** * The rules *)

Lemma chain {x y z} : x ≦ y -> y ≦ z -> x ≦ z.
Proof. apply tr. Qed.
Lemma join {x y z} : x ≦ z -> y ≦ z -> x + y ≦ z.
Proof. intros. now apply leq_cupx. Qed.
Lemma star_left {x y z} : z ≦ y -> x ⋅ y ≦ y -> x^* ⋅ z ≦ y.
Proof. intros H H'. rewrite H. now apply str_ind_l. Qed.
Lemma star_right {x y z} : z ≦ y -> y ⋅ x ≦ y -> z ⋅ x^* ≦ y.
Proof. intros H H'. rewrite H. now apply str_ind_r. Qed.
Lemma coinduction {x y z} : y ≦ x ⋅ y + z -> y ≦ om x + x^* ⋅ z.
Proof. apply oa_coinduction. Qed.
Lemma unfold_om {x} : om x ≦ x ⋅ om x.
Proof. now rewrite <- oa_unfold. Qed.

Lemma intro_x but (f : process -> X) i : ~ In i but -> f i ≦ sumx but f.
Proof. apply over_intro. Qed.
Lemma intro_t but (f : process -> B) i : ~ In i but -> [f i] ≦ [sumt but f].
Proof. intros H. now apply inj_leq, over_intro. Qed.
Lemma separate_x but (f : process -> X) i : sumx but f ≦ f i + sumx (i :: but) f.
Proof. apply over_separate. Qed.
Lemma separate_t but (f : process -> B) i : [sumt but f] ≦ [f i] + [sumt (i :: but) f].
Proof. rewrite <- inj_cup. now apply inj_leq, over_separate. Qed.
Lemma dot_over a but (f : process -> X) : a ⋅ sumx but f ≡ sumx but (fun i => a ⋅ f i).
Proof.
  unfold sumx, over. induction everyone as [|i l IH]; cbn.
  - apply dotx0.
  - destruct (leaves_out but i); trivial. now rewrite dotxpls, IH.
Qed.
Lemma over_dot but (f : process -> X) b : sumx but f ⋅ b ≡ sumx but (fun i => f i ⋅ b).
Proof.
  unfold sumx, over. induction everyone as [|i l IH]; cbn.
  - apply dot0x.
  - destruct (leaves_out but i); trivial. now rewrite dotplsx, IH.
Qed.
Lemma elim_x a but (f : process -> X) b {z} :
  (forall i, ~ In i but -> a ⋅ f i ⋅ b ≦ z) -> a ⋅ sumx but f ⋅ b ≦ z.
Proof. intros H. rewrite dot_over, over_dot. now apply over_spec. Qed.
Lemma elim_t a but (f : process -> B) b {z} :
  (forall i, ~ In i but -> a ⋅ [f i] ⋅ b ≦ z) -> a ⋅ [sumt but f] ⋅ b ≦ z.
Proof. rewrite <- sumx_tests. apply elim_x. Qed.
Lemma product_elim but (f : process -> B) i : ~ In i but -> [! sumt but f] ≦ [! f i].
Proof. intros H. now apply inj_leq, neg_leq, over_intro. Qed.
Lemma product_intro q but (f : process -> B) :
  (forall i, ~ In i but -> [q] ≦ [! f i]) -> [q] ≦ [! sumt but f].
Proof.
  intros H. apply inj_leq. rewrite <- (negneg q). apply neg_leq. apply over_spec. intros i N.
  rewrite <- (negneg (f i)). apply neg_leq, oa_tests. now apply H.
Qed.
End rules.

(** Closes what holds in every Kleene algebra with tests. *)
Ltac leaf := (apply by_equation || apply by_equation'); pre_dec true.
(** The same with tests as letters. [leaf] takes exponential time in their number. *)
Ltac letters := rewrite ?inj_cup, ?inj_cap;
  repeat match goal with
  | |- context [@inj ?K ?n ?p] => let z := fresh in set (z := @inj K n p); clearbody z
  end; leaf.

(** * Domain and codomain *)

Section domains.
Context {K : kat.ops} {n : ob (@kar K)} {A : omega_algebra K n} {D : domain_algebra K n}.
Notation X := (car (@mor (@kar K) n n)).
Notation B := (car (@tst K n)).
Implicit Types x y z : X.
Implicit Types p q : B.
Local Instance domain_laws : kat.laws K := oa_laws.

Lemma below_dm {x} : x ≦ [dm x] ⋅ x.
Proof. apply da_dm. Qed.
Lemma below_cd {x} : x ≦ x ⋅ [cd x].
Proof. apply da_cd. Qed.
Lemma before_dm {x y} : y ⋅ x ≦ 0 -> y ⋅ [dm x] ≦ 0.
Proof. apply da_before. Qed.
Lemma behind_cd {x y} : x ⋅ y ≦ 0 -> [cd x] ⋅ y ≦ 0.
Proof. apply da_behind. Qed.

Lemma not_dm x : [! dm x] ⋅ x ≦ 0.
Proof. apply (tr (le_dot (rfl (x := [! dm x])) (da_dm x))). kat. Qed.
Lemma not_cd x : x ⋅ [! cd x] ≦ 0.
Proof. apply (tr (le_dot (da_cd x) (rfl (x := [! cd x])))). kat. Qed.
Lemma least {p q} : [! q] ⋅ [p] ≦ 0 -> p ≦ q.
Proof.
  intros H. apply oa_tests. assert (E : [p] ≦ [q] + [! q] ⋅ [p]) by kat.
  rewrite E, H. apply by_equation. kat.
Qed.
Lemma dm_least {x p} : x ≦ [p] ⋅ x -> dm x ≦ p.
Proof. intros H. apply least, da_before. apply (tr (le_dot (rfl (x := [! p])) H)). kat. Qed.
Lemma cd_least {x p} : x ≦ x ⋅ [p] -> cd x ≦ p.
Proof.
  intros H. assert (E : [cd x] ⋅ [! p] ≦ 0) by (apply da_behind, (tr (le_dot H (rfl (x := [! p])))); kat).
  apply least. rewrite <- E. kat.
Qed.
Lemma le_dm {x y} : x ≦ y -> dm x ≦ dm y.
Proof. intros H. apply least, da_before, (tr (le_dot (rfl (x := [! dm y])) H)), not_dm. Qed.
Lemma le_cd {x y} : x ≦ y -> cd x ≦ cd y.
Proof.
  intros H. assert (E : [cd x] ⋅ [! cd y] ≦ 0) by (apply da_behind, (tr (le_dot H (rfl (x := [! cd y])))), not_cd).
  apply least. rewrite <- E. kat.
Qed.
Lemma eq_dm {x y} : x ≡ y -> dm x ≡ dm y.
Proof. intros H. apply antisym; apply le_dm; now rewrite H. Qed.
Lemma eq_cd {x y} : x ≡ y -> cd x ≡ cd y.
Proof. intros H. apply antisym; apply le_cd; now rewrite H. Qed.
Lemma dm_test p : dm [p] ≡ p.
Proof.
  apply antisym; [apply dm_least; kat|]. apply oa_tests. apply (tr (da_dm [p])). kat.
Qed.
Lemma cd_test p : cd [p] ≡ p.
Proof.
  apply antisym; [apply cd_least; kat|]. apply oa_tests. apply (tr (da_cd [p])). kat.
Qed.
Lemma dm_zero : dm 0 ≡ bot.
Proof. rewrite <- (dm_test bot). apply eq_dm. kat. Qed.
Lemma cd_zero : cd 0 ≡ bot.
Proof. rewrite <- (cd_test bot). apply eq_cd. kat. Qed.
Lemma dm_one : dm 1 ≡ top.
Proof. rewrite <- (dm_test top). apply eq_dm. kat. Qed.
Lemma cd_one : cd 1 ≡ top.
Proof. rewrite <- (cd_test top). apply eq_cd. kat. Qed.
Lemma dm_top : dm T ≡ top.
Proof. apply antisym; [lattice|]. rewrite <- dm_one. apply le_dm, oa_top. Qed.
Lemma cd_top : cd T ≡ top.
Proof. apply antisym; [lattice|]. rewrite <- cd_one. apply le_cd, oa_top. Qed.

Context {V : divergence_algebra D}.
Lemma unfold_dv {x} : [dv x] ≦ [dm (x ⋅ [dv x])].
Proof. apply inj_leq, va_unfold. Qed.
Lemma below_dv {x p} : [p] ≦ [dm (x ⋅ [p])] -> [p] ≦ [dv x].
Proof. intros H. apply inj_leq, va_greatest, oa_tests, H. Qed.
Lemma le_dv {x y} : x ≦ y -> dv x ≦ dv y.
Proof. intros H. apply va_greatest. etransitivity; [apply va_unfold|]. apply le_dm, le_dot; [exact H|reflexivity]. Qed.
Lemma eq_dv {x y} : x ≡ y -> dv x ≡ dv y.
Proof. intros H. apply antisym; apply le_dv; now rewrite H. Qed.
Lemma dv_test p : dv [p] ≡ p.
Proof.
  apply antisym.
  - etransitivity; [apply va_unfold|]. apply dm_least. kat.
  - apply va_greatest. rewrite <- (dm_test p) at 1. apply le_dm. kat.
Qed.
Lemma dv_zero : dv 0 ≡ bot.
Proof. rewrite <- (dv_test bot). apply eq_dv. kat. Qed.
Lemma dv_one : dv 1 ≡ top.
Proof. rewrite <- (dv_test top). apply eq_dv. kat. Qed.
Lemma dv_top : dv T ≡ top.
Proof. apply antisym; [lattice|]. rewrite <- dv_one. apply le_dv, oa_top. Qed.
End domains.

(** * Binary relations are an omega algebra

    [x] goes on for ever from [s] if [s] is in a set from each member of which [x] leads into the set. *)

Section relations.
Import rel.
Context (S : Set).
Definition for_ever (x : hrel S S) : hrel S S :=
  fun s _ => exists V : S -> Prop, V s /\ forall s, V s -> exists s', x s s' /\ V s'.

Definition relations (excluded_middle : forall V : Prop, V \/ ~ V) : @omega_algebra hrel_kat_ops S.
Proof.
  refine {| T := (fun _ _ => True) : hrel S S; om := for_ever |}.
  - intros p q H i E. now destruct (H i i (conj eq_refl E)).
  - intros x s t _. exact I.
  - intros x. apply antisym.
    + intros s t (V & Vs & H). destruct (H s Vs) as (s' & E & V'). exists s'; trivial. now exists V.
    + intros s t [s' E (V & V' & H)]. exists (fun r => r = s \/ V r). split; [now left|].
      intros r [->|Vr]; [now exists s'; auto|]. destruct (H r Vr) as (r' & ? & ?). exists r'; auto.
  - intros x y z H s t Y. cbn. destruct (excluded_middle ((x^* ⋅ z : hrel S S) s t)) as [E|N]; [now right|left].
    exists (fun r => y r t /\ ~ (x^* ⋅ z : hrel S S) r t). split; [now split|].
    intros r (Yr & Nr). destruct (H r t Yr) as [[r' E Y']|Z].
    + exists r'. repeat split; trivial. intros [r1 [k E'] Z]. apply Nr. exists r1; trivial. exists (Datatypes.S k). now exists r'.
    + destruct Nr. exists r; trivial. now exists O.
Defined.

(** Tests are functions to [bool], so that it has to be decided whether a state has a successor. *)
Definition relational_domains (decide : forall V : Prop, {V} + {~ V}) : @domain_algebra hrel_kat_ops S.
Proof.
  assert (is : forall V : Prop, V <-> is_true (if decide V then true else false)).
  { intros V. destruct (decide V) as [H|H]; cbn; split; intros E; try exact H; try reflexivity; try discriminate E; now destruct (H E). }
  refine (@Build_domain_algebra hrel_kat_ops S
    (fun (x : hrel S S) s => if decide (exists t, x s t) then true else false)
    (fun (x : hrel S S) t => if decide (exists s, x s t) then true else false) _ _ _ _).
  - intros x s t E. exists s; [|exact E]. split; [reflexivity|]. apply (proj1 (is _)). now exists t.
  - intros x s t E. exists t; [exact E|]. split; [reflexivity|]. apply (proj1 (is _)). now exists s.
  - intros x y H s t [r Y [-> V]]. destruct (proj2 (is _) V) as [r' E]. destruct (H s r'). now exists t.
  - intros x y H s t [r [-> V] Y]. destruct (proj2 (is _) V) as [r' E]. destruct (H r' t). now exists r.
Defined.

(** That [x] can go on for ever from a state has to be decided, too. *)
Definition relational_divergences (decide : forall V : Prop, {V} + {~ V}) :
  divergence_algebra (relational_domains decide).
Proof.
  assert (is : forall V : Prop, V <-> is_true (if decide V then true else false)).
  { intros V. destruct (decide V) as [H|H]; cbn; split; intros E; try exact H; try reflexivity; try discriminate E; now destruct (H E). }
  refine (@Build_divergence_algebra hrel_kat_ops S (relational_domains decide)
    (fun (x : hrel S S) s =>
      if decide (exists V : S -> Prop, V s /\ forall s, V s -> exists s', x s s' /\ V s') then true else false) _ _).
  - intros x s E. destruct (proj2 (is _) E) as (V & Vs & H). destruct (H s Vs) as (s' & X & V'). apply (proj1 (is _)).
    exists s', s'; [exact X|]. split; [reflexivity|]. apply (proj1 (is _)). now exists V.
  - intros x p H s E. apply (proj1 (is _)). exists (fun s => is_true (p s)). split; [exact E|].
    intros r R. destruct (proj2 (is _) (H r R)) as (t & [t' X [-> P]]). now exists t.
Defined.
End relations.
