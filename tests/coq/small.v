(** small.thy

    Written by coarsen; checked with Coarsen.v beside it. *)

Require Import Coarsen.

Section export.
Context {K : kat.ops} {n : ob (@kar K)} {A : omega_algebra K n} {P : processes}.
Notation X := (car (@mor (@kar K) n n)).
Notation B := (car (@tst K n)).
Notation "0" := (@bot (@mor (@kar K) n n)).
Notation "1" := (@one (@kar K) n).
Notation "x ⋅ y" := (@dot (@kar K) n n n x y).
Notation "x + y" := (@cup (@mor (@kar K) n n) x y).
Notation "x ^*" := (@str (@kar K) n x).
Notation "[ p ]" := (@inj K n p).
Notation "p ⊔ q" := (@cup (@tst K n) p q).
Notation "p ⊓ q" := (@cap (@tst K n) p q).
Notation "! p" := (@neg (@tst K n) p).
Notation "x ≦ y" := (@leq (@mor (@kar K) n n) x y).
Notation "x ≡ y" := (@weq (@mor (@kar K) n n) x y).

Lemma leaf_0 (x0 x1 : X) :
  (x0 ⋅ x1)^* ⋅ x0 ≦ x0 ⋅ (x1 ⋅ x0)^*.
Proof. leaf. Qed.
Lemma leaf_1 (x0 x1 : X) :
  x0 ⋅ (x1 ⋅ x0)^* ≦ (x0 ⋅ x1)^* ⋅ x0.
Proof. leaf. Qed.
(** slide: (x y)* x = x (y x)* *)
Theorem slide : forall (x y : X),
  (x ⋅ y)^* ⋅ x ≡ x ⋅ (y ⋅ x)^*.
Proof.
  intros x y.
  exact (both (leaf_0 x y) (leaf_1 x y)).
Qed.

Lemma leaf_2 (x0 x1 x2 : X) :
  x0 ⋅ (x1 ⋅ (x2)^*) ≦ x0 ⋅ x1 ⋅ (x2)^*.
Proof. leaf. Qed.
Lemma leaf_3 (x0 x1 : X) :
  x0 ⋅ x1 ⋅ (x1)^* ≦ x0 ⋅ (x1)^*.
Proof. leaf. Qed.
Lemma leaf_4 (x0 x1 : X) :
  x0 ≦ x0 ⋅ (x1)^*.
Proof. leaf. Qed.
(** pass: x* y <= y z*
    if x y <= y z *)
Theorem pass : forall (x y z : X),
  (x ⋅ y ≦ y ⋅ z) ->
  (x)^* ⋅ y ≦ y ⋅ (z)^*.
Proof.
  intros x y z H0.
  exact (star_left (leaf_4 y z) (tr (leaf_2 x y z) (tr (le_dot H0 rfl) (leaf_3 y z)))).
Qed.

Lemma leaf_5 (x0 x1 : X) :
  (1 + x0) ⋅ x1 ≦ x1 + x0 ⋅ x1.
Proof. leaf. Qed.
Lemma leaf_6 (x0 x1 : X) :
  x0 ≦ x0 ⋅ (1 + x1).
Proof. leaf. Qed.
Lemma leaf_7 (x0 x1 : X) :
  x0 ⋅ x1 ≦ x0 ⋅ (1 + x1).
Proof. leaf. Qed.
(** used: (1 + x)* y <= y (1 + x)*
    if x y <= y x *)
Theorem used : forall (x y : X),
  (x ⋅ y ≦ y ⋅ x) ->
  (1 + x)^* ⋅ y ≦ y ⋅ (1 + x)^*.
Proof.
  intros x y H0.
  exact (pass (1 + x) y (1 + x) (tr (leaf_5 x y) (join (leaf_6 y x) (tr H0 (leaf_7 y x))))).
Qed.

Lemma leaf_8 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  o0 ⋅ x0 ≦ o0.
Proof. first [leaf | refine (tr (le (eq_dot (tre No0 (eq_dot rfe NT)) rfe)) _); refine (tr _ (ge (tre No0 (eq_dot rfe NT)))); leaf]. Qed.
(** ends: x^w y <= x^w *)
Theorem ends : forall (x y : X),
  om x ⋅ y ≦ om x.
Proof.
  intros x y.
  exact (leaf_8 y (om x) T (om_top _) (top_star _)).
Qed.

Lemma leaf_9 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ o0 ≦ x0 ⋅ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_10 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  (x0)^* ⋅ x0 ⋅ o0 ≦ x0 ⋅ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_11 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ (x0)^* ⋅ o0 ≦ x0 ⋅ ((x0)^* ⋅ o0) + 0.
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_cup (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT)))) rfe))); leaf]. Qed.
Lemma leaf_12 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  (x0)^* ⋅ (x0 ⋅ o0) ≦ (x0)^* ⋅ x0 ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT))))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_13 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  o0 + (x0)^* ⋅ 0 ≦ o0.
Proof. first [leaf | refine (tr (le (eq_cup (tre No0 (eq_dot rfe NT)) rfe)) _); refine (tr _ (ge (tre No0 (eq_dot rfe NT)))); leaf]. Qed.
Lemma leaf_14 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ (x0)^* ⋅ o0 ≦ x0 ⋅ ((x0)^* ⋅ o0).
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT)))))); leaf]. Qed.
Lemma leaf_15 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ o0 ≦ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot rfe (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
(** unfold: x^w = x x^w *)
Theorem unfold : forall (x : X),
  om x ≡ x ⋅ (om x).
Proof.
  intros x.
  assert (s2 : x ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (leaf_9 x (om x) T (om_top _) (top_star _)).
  }
  assert (s5 : (x)^* ⋅ x ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (leaf_10 x (om x) T (om_top _) (top_star _)).
  }
  exact (both (tr (tr unfold_om (tr s2 (tr (tr (leaf_14 x (om x) T (om_top _) (top_star _)) (le_dot rfl (tr (coinduction (tr (tr (tr (le_dot rfl unfold_om) (leaf_12 x (om x) T (om_top _) (top_star _))) s5) (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_13 x (om x) T (om_top _) (top_star _))))) s2))) (tr (leaf_14 x (om x) T (om_top _) (top_star _)) (le_dot rfl (tr (coinduction (tr (tr (tr (le_dot rfl unfold_om) (leaf_12 x (om x) T (om_top _) (top_star _))) s5) (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_13 x (om x) T (om_top _) (top_star _)))))) (tr (leaf_15 x (om x) T (om_top _) (top_star _)) (tr (coinduction (tr (tr (tr (le_dot rfl unfold_om) (leaf_12 x (om x) T (om_top _) (top_star _))) (leaf_10 x (om x) T (om_top _) (top_star _))) (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_13 x (om x) T (om_top _) (top_star _))))).
Qed.

Lemma leaf_16 (x0 : X) (p0 : B) (T : X) (NT : T ≡ (x0 + T)^*) :
  [p0] ⋅ x0 + [!p0] ⋅ x0 ≦ x0 ⋅ T.
Proof. first [leaf | refine (tr _ (ge (eq_dot rfe NT))); leaf]. Qed.
(** guarded: p x + ~p x <= x T *)
Theorem guarded : forall (x : X) (p : B),
  [p] ⋅ x + [!p] ⋅ x ≦ x ⋅ T.
Proof.
  intros x p.
  exact (leaf_16 x p T (top_star _)).
Qed.

(** member: u[i] <= (+ i : u[i]) *)
Theorem member : forall (u : process -> X),
  forall i : process, u i ≦ sumx nil (fun k0 => u k0).
Proof.
  intros u.
  intros i.
  exact (intro_x nil (fun k0 => u k0) i not_nil).
Qed.

(** apart: (+ i : u[i] v[i]* ) <= u[i] v[i]* + (+ j != i : u[j] v[j]* ) *)
Theorem apart : forall (u v : process -> X),
  forall i : process, sumx nil (fun k0 => u k0 ⋅ (v k0)^*) ≦ u i ⋅ (v i)^* + sumx (i :: nil) (fun k0 => u k0 ⋅ (v k0)^*).
Proof.
  intros u v.
  intros i.
  exact (separate_x nil (fun k0 => u k0 ⋅ (v k0)^*) i).
Qed.

Lemma leaf_17 (x0 x1 x2 x3 : X) :
  1 ⋅ x0 ⋅ (x1 ⋅ x2 ⋅ x3) ≦ x0 ⋅ x1 ⋅ x2 ⋅ x3.
Proof. leaf. Qed.
Lemma leaf_18 (x0 x1 x2 x3 : X) :
  x0 ⋅ x1 ⋅ x2 ⋅ x3 ≦ 1 ⋅ x0 ⋅ (x1 ⋅ x2 ⋅ x3).
Proof. leaf. Qed.
(** all: (+ i : d[i]) H[i] N_same H0 <= H[i] (+ i : d[i]) N_same H0
    if i != j => d[i] H[j] <= H[j] d[i]
    if d[i] H[i] <= H[i] d[i] *)
Theorem all : forall (d H_ : process -> X) (N_same_ a_H0 : X),
  (forall i j : process, i <> j -> d i ⋅ (H_ j) ≦ H_ j ⋅ (d i)) ->
  (forall i : process, d i ⋅ (H_ i) ≦ H_ i ⋅ (d i)) ->
  forall i : process, sumx nil (fun k0 => d k0) ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0.
Proof.
  intros d H_ N_same_ a_H0 H0 H1.
  assert (s10 : forall i i_4 : process, d i_4 ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i i_4.
    destruct (same i i_4) as [N_same | N_differ].
    - subst i_4. exact (tr (le_dot (le_dot (H1 i) rfl) rfl) (le_dot (le_dot (le_dot rfl (intro_x nil (fun k0 => d k0) i not_nil)) rfl) rfl)).
    - exact (tr (le_dot (le_dot (H0 i_4 i (not_eq_sym N_differ)) rfl) rfl) (le_dot (le_dot (le_dot rfl (intro_x nil (fun k0 => d k0) i_4 not_nil)) rfl) rfl)).
  }
  intros i.
  exact (tr (leaf_18 (sumx nil (fun k0 => d k0)) (H_ i) N_same_ a_H0) (elim_x 1 nil (fun k0 => d k0) (H_ i ⋅ N_same_ ⋅ a_H0) (fun i_4 N4 => (tr (leaf_17 (d i_4) (H_ i) N_same_ a_H0) (s10 i i_4))))).
Qed.

Lemma leaf_19 (p0 : B) :
  [!p0 ⊓ p0] ≦ 0.
Proof. leaf. Qed.
(** each: (. i : e[i]) (+ i : ~e[i]) <= 0 *)
Theorem each : forall (e : process -> B),
  [!(sumt nil (fun k0 => !(e k0))) ⊓ (sumt nil (fun k0 => !(e k0)))] ≦ 0.
Proof.
  intros e.
  exact (leaf_19 (sumt nil (fun k0 => !(e k0)))).
Qed.

Lemma leaf_20 (p0 p1 : B) :
  [!p0] ≦ [p1 ⊔ !p0 ⊓ (!p1)].
Proof. leaf. Qed.
Lemma leaf_21 (p0 : B) :
  [!(!p0)] ≦ [p0].
Proof. leaf. Qed.
Lemma leaf_22 (p0 p1 : B) :
  [!p0 ⊓ (!p1)] ≦ [!p0] ⋅ [!p1].
Proof. leaf. Qed.
Lemma leaf_23 (p0 : B) :
  [p0] ⋅ [!p0] ≦ 0.
Proof. leaf. Qed.
Lemma leaf_24 (p0 p1 : B) :
  [p0 ⊔ !p1 ⊓ (!p0)] ≦ [!p1 ⊓ (!p0)] + [p0].
Proof. leaf. Qed.
Lemma leaf_25 (p0 : B) :
  0 + [p0] ≦ [p0].
Proof. leaf. Qed.
(** one: (. i : e[i]) <= e[i] *)
Theorem one_ : forall (e : process -> B),
  forall i : process, [!(sumt nil (fun k0 => !(e k0)))] ≦ [e i].
Proof.
  intros e.
  intros i.
  exact (tr (leaf_20 (sumt nil (fun k0 => !(e k0))) (e i)) (tr (leaf_24 (e i) (sumt nil (fun k0 => !(e k0)))) (tr (le_cup (tr (leaf_22 (sumt nil (fun k0 => !(e k0))) (e i)) (tr (le_dot (tr (product_elim nil (fun k0 => !(e k0)) i not_nil) (leaf_21 (e i))) rfl) (leaf_23 (e i)))) rfl) (leaf_25 (e i))))).
Qed.

Lemma leaf_26 (p0 : B) :
  [p0] ≦ [!(!p0)].
Proof. leaf. Qed.
Lemma leaf_27 (p0 p1 : B) :
  [p0] ≦ [p1 ⊔ p0 ⊓ (!p1)].
Proof. leaf. Qed.
Lemma leaf_28 (p0 p1 : B) :
  [p0 ⊓ (!p1)] ≦ [p0] ⋅ [!p1].
Proof. leaf. Qed.
Lemma leaf_29 (p0 p1 : B) :
  [p0 ⊔ p1 ⊓ (!p0)] ≦ [p1 ⊓ (!p0)] + [p0].
Proof. leaf. Qed.
(** both: q <= (. i : e[i])
    if q <= e[i] *)
Theorem both_ : forall (q : B) (e : process -> B),
  (forall i : process, [q] ≦ [e i]) ->
  [q] ≦ [!(sumt nil (fun k0 => !(e k0)))].
Proof.
  intros q e H0.
  exact (product_intro q nil (fun k0 => !(e k0)) (fun i_4 N4 => (tr (tr (leaf_27 q (e i_4)) (tr (leaf_29 (e i_4) q) (tr (le_cup (tr (leaf_28 q (e i_4)) (tr (le_dot (H0 i_4) rfl) (leaf_23 (e i_4)))) rfl) (leaf_25 (e i_4))))) (leaf_26 (e i_4))))).
Qed.

(** others: i != k => (+ j != i : u[j]) <= u[k] + (+ j != i, j != k : u[j]) *)
Theorem others : forall (u : process -> X),
  forall i k : process, i <> k -> sumx (i :: nil) (fun k0 => u k0) ≦ u k + sumx (i :: k :: nil) (fun k0 => u k0).
Proof.
  intros u.
  intros i k d_0_2.
  exact (tr (separate_x (i :: nil) (fun k0 => u k0) k) (le (eq_cup rfe (but_sumx (k :: i :: nil) (i :: k :: nil) ltac:(members))))).
Qed.

End export.
