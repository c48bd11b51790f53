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
  assert (s0 : (x ⋅ y)^* ⋅ x ≦ x ⋅ (y ⋅ x)^*).
  {
    exact (leaf_0 x y).
  }
  assert (s1 : x ⋅ (y ⋅ x)^* ≦ (x ⋅ y)^* ⋅ x).
  {
    exact (leaf_1 x y).
  }
  exact (both s0 s1).
Qed.

Lemma leaf_2 (x0 x1 : X) :
  x0 ≦ x0 ⋅ (x1)^*.
Proof. leaf. Qed.
Lemma leaf_3 (x0 x1 : X) :
  x0 ⋅ x1 ⋅ (x1)^* ≦ x0 ⋅ (x1)^*.
Proof. leaf. Qed.
Lemma leaf_4 (x0 x1 x2 : X) :
  x0 ⋅ (x1 ⋅ (x2)^*) ≦ x0 ⋅ x1 ⋅ (x2)^*.
Proof. leaf. Qed.
(** pass: x* y <= y z*
    if x y <= y z *)
Theorem pass : forall (x y z : X),
  (x ⋅ y ≦ y ⋅ z) ->
  (x)^* ⋅ y ≦ y ⋅ (z)^*.
Proof.
  intros x y z H0.
  assert (s0 : x ⋅ y ≦ y ⋅ z).
  {
    exact H0.
  }
  assert (s1 : y ≦ y ⋅ (z)^*).
  {
    exact (leaf_2 y z).
  }
  assert (s2 : x ⋅ y ⋅ (z)^* ≦ y ⋅ z ⋅ (z)^*).
  {
    exact (le_dot s0 rfl).
  }
  assert (s3 : y ⋅ z ⋅ (z)^* ≦ y ⋅ (z)^*).
  {
    exact (leaf_3 y z).
  }
  assert (s4 : x ⋅ y ⋅ (z)^* ≦ y ⋅ (z)^*).
  {
    exact (tr s2 s3).
  }
  assert (s5 : (x)^* ⋅ y ≦ y ⋅ (z)^*).
  {
    exact (star_left s1 (tr (leaf_4 x y z) s4)).
  }
  exact s5.
Qed.

Lemma leaf_5 (x0 x1 : X) :
  x0 ≦ x0 ⋅ (1 + x1).
Proof. leaf. Qed.
Lemma leaf_6 (x0 x1 : X) :
  x0 ⋅ x1 ≦ x0 ⋅ (1 + x1).
Proof. leaf. Qed.
Lemma leaf_7 (x0 x1 : X) :
  (1 + x0) ⋅ x1 ≦ x1 + x0 ⋅ x1.
Proof. leaf. Qed.
(** used: (1 + x)* y <= y (1 + x)*
    if x y <= y x *)
Theorem used : forall (x y : X),
  (x ⋅ y ≦ y ⋅ x) ->
  (1 + x)^* ⋅ y ≦ y ⋅ (1 + x)^*.
Proof.
  intros x y H0.
  assert (s0 : x ⋅ y ≦ y ⋅ x).
  {
    exact H0.
  }
  assert (s1 : y ≦ y ⋅ (1 + x)).
  {
    exact (leaf_5 y x).
  }
  assert (s2 : y ⋅ x ≦ y ⋅ (1 + x)).
  {
    exact (leaf_6 y x).
  }
  assert (s3 : x ⋅ y ≦ y ⋅ (1 + x)).
  {
    exact (tr s0 s2).
  }
  assert (s4 : y + x ⋅ y ≦ y ⋅ (1 + x)).
  {
    exact (join s1 s3).
  }
  assert (s5 : (1 + x) ⋅ y ≦ y + x ⋅ y).
  {
    exact (leaf_7 x y).
  }
  assert (s6 : (1 + x) ⋅ y ≦ y ⋅ (1 + x)).
  {
    exact (tr s5 s4).
  }
  assert (s7 : (1 + x)^* ⋅ y ≦ y ⋅ (1 + x)^*).
  {
    exact (pass (1 + x) y (1 + x) s6).
  }
  exact s7.
Qed.

Lemma leaf_8 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  o0 ⋅ x0 ≦ o0.
Proof. first [leaf | refine (tr (le (eq_dot (tre No0 (eq_dot rfe NT)) rfe)) _); refine (tr _ (ge (tre No0 (eq_dot rfe NT)))); leaf]. Qed.
(** ends: x^w y <= x^w *)
Theorem ends : forall (x y : X),
  om x ⋅ y ≦ om x.
Proof.
  intros x y.
  assert (s0 : om x ⋅ y ≦ om x).
  {
    exact (leaf_8 y (om x) T (om_top _) (top_star _)).
  }
  exact s0.
Qed.

Lemma leaf_9 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  (x0)^* ⋅ (x0 ⋅ o0) ≦ (x0)^* ⋅ x0 ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT))))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_10 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  (x0)^* ⋅ x0 ⋅ o0 ≦ x0 ⋅ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_11 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ (x0)^* ⋅ o0 ≦ x0 ⋅ ((x0)^* ⋅ o0) + 0.
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_cup (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT)))) rfe))); leaf]. Qed.
Lemma leaf_12 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  o0 + (x0)^* ⋅ 0 ≦ o0.
Proof. first [leaf | refine (tr (le (eq_cup (tre No0 (eq_dot rfe NT)) rfe)) _); refine (tr _ (ge (tre No0 (eq_dot rfe NT)))); leaf]. Qed.
Lemma leaf_13 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ (x0)^* ⋅ o0 ≦ x0 ⋅ ((x0)^* ⋅ o0).
Proof. first [leaf | refine (tr (le (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot rfe (eq_dot rfe (tre No0 (eq_dot rfe NT)))))); leaf]. Qed.
Lemma leaf_14 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ o0 ≦ x0 ⋅ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot (eq_dot rfe rfe) (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
Lemma leaf_15 (x0 : X) (o0 : X) (T : X) (No0 : o0 ≡ o0 ⋅ T) (NT : T ≡ (x0 + o0 + T)^*) :
  x0 ⋅ o0 ≦ (x0)^* ⋅ o0.
Proof. first [leaf | refine (tr (le (eq_dot rfe (tre No0 (eq_dot rfe NT)))) _); refine (tr _ (ge (eq_dot rfe (tre No0 (eq_dot rfe NT))))); leaf]. Qed.
(** unfold: x^w = x x^w *)
Theorem unfold : forall (x : X),
  om x ≡ x ⋅ (om x).
Proof.
  intros x.
  assert (s0 : om x ≦ x ⋅ (om x)).
  {
    exact unfold_om.
  }
  assert (s1 : (x)^* ⋅ (om x) ≦ (x)^* ⋅ x ⋅ (om x)).
  {
    exact (tr (le_dot rfl s0) (leaf_9 x (om x) T (om_top _) (top_star _))).
  }
  assert (s2 : (x)^* ⋅ x ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (leaf_10 x (om x) T (om_top _) (top_star _)).
  }
  assert (s3 : (x)^* ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (tr s1 s2).
  }
  assert (s4 : (x)^* ⋅ (om x) ≦ om x).
  {
    exact (tr (coinduction (tr s3 (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_12 x (om x) T (om_top _) (top_star _))).
  }
  assert (s5 : x ⋅ (x)^* ⋅ (om x) ≦ x ⋅ (om x)).
  {
    exact (tr (leaf_13 x (om x) T (om_top _) (top_star _)) (le_dot rfl s4)).
  }
  assert (s6 : x ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (leaf_14 x (om x) T (om_top _) (top_star _)).
  }
  assert (s7 : om x ≦ x ⋅ (om x)).
  {
    exact unfold_om.
  }
  assert (s8 : (x)^* ⋅ (om x) ≦ (x)^* ⋅ x ⋅ (om x)).
  {
    exact (tr (le_dot rfl s7) (leaf_9 x (om x) T (om_top _) (top_star _))).
  }
  assert (s9 : (x)^* ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (tr s8 s2).
  }
  assert (s10 : (x)^* ⋅ (om x) ≦ om x).
  {
    exact (tr (coinduction (tr s9 (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_12 x (om x) T (om_top _) (top_star _))).
  }
  assert (s11 : x ⋅ (x)^* ⋅ (om x) ≦ x ⋅ (om x)).
  {
    exact (tr (leaf_13 x (om x) T (om_top _) (top_star _)) (le_dot rfl s10)).
  }
  assert (s12 : om x ≦ x ⋅ (om x)).
  {
    exact unfold_om.
  }
  assert (s13 : om x ≦ x ⋅ (om x)).
  {
    exact s12.
  }
  assert (s14 : om x ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (tr s13 (tr s6 (tr s11 s6))).
  }
  assert (s15 : om x ≦ x ⋅ (om x)).
  {
    exact (tr s14 s5).
  }
  assert (s16 : om x ≦ x ⋅ (om x)).
  {
    exact unfold_om.
  }
  assert (s17 : (x)^* ⋅ (om x) ≦ (x)^* ⋅ x ⋅ (om x)).
  {
    exact (tr (le_dot rfl s16) (leaf_9 x (om x) T (om_top _) (top_star _))).
  }
  assert (s18 : (x)^* ⋅ x ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (leaf_10 x (om x) T (om_top _) (top_star _)).
  }
  assert (s19 : (x)^* ⋅ (om x) ≦ x ⋅ (x)^* ⋅ (om x)).
  {
    exact (tr s17 s18).
  }
  assert (s20 : (x)^* ⋅ (om x) ≦ om x).
  {
    exact (tr (coinduction (tr s19 (leaf_11 x (om x) T (om_top _) (top_star _)))) (leaf_12 x (om x) T (om_top _) (top_star _))).
  }
  assert (s21 : (x)^* ⋅ (om x) ≦ om x).
  {
    exact s20.
  }
  assert (s22 : x ⋅ (om x) ≦ (x)^* ⋅ (om x)).
  {
    exact (leaf_15 x (om x) T (om_top _) (top_star _)).
  }
  assert (s23 : x ⋅ (om x) ≦ om x).
  {
    exact (tr s22 s21).
  }
  exact (both s15 s23).
Qed.

Lemma leaf_16 (x0 : X) (p0 : B) (T : X) (NT : T ≡ (x0 + T)^*) :
  [p0] ⋅ x0 + [!p0] ⋅ x0 ≦ x0 ⋅ T.
Proof. first [leaf | refine (tr _ (ge (eq_dot rfe NT))); leaf]. Qed.
(** guarded: p x + ~p x <= x T *)
Theorem guarded : forall (x : X) (p : B),
  [p] ⋅ x + [!p] ⋅ x ≦ x ⋅ T.
Proof.
  intros x p.
  assert (s0 : [p] ⋅ x + [!p] ⋅ x ≦ x ⋅ T).
  {
    exact (leaf_16 x p T (top_star _)).
  }
  exact s0.
Qed.

(** member: u[i] <= (+ i : u[i]) *)
Theorem member : forall (u : process -> X),
  forall i : process, u i ≦ sumx nil (fun k0 => u k0).
Proof.
  intros u.
  assert (s0 : forall i : process, u i ≦ sumx nil (fun k0 => u k0)).
  {
    intros i.
    exact (intro_x nil (fun k0 => u k0) i not_nil).
  }
  intros i.
  exact (s0 i).
Qed.

(** apart: (+ i : u[i] v[i]* ) <= u[i] v[i]* + (+ i != i : u[i] v[i]* ) *)
Theorem apart : forall (u v : process -> X),
  forall i : process, sumx nil (fun k0 => u k0 ⋅ (v k0)^*) ≦ u i ⋅ (v i)^* + sumx (i :: nil) (fun k0 => u k0 ⋅ (v k0)^*).
Proof.
  intros u v.
  assert (s0 : forall i : process, sumx nil (fun k0 => u k0 ⋅ (v k0)^*) ≦ u i ⋅ (v i)^* + sumx (i :: nil) (fun k0 => u k0 ⋅ (v k0)^*)).
  {
    intros i.
    exact (separate_x nil (fun k0 => u k0 ⋅ (v k0)^*) i).
  }
  intros i.
  exact (s0 i).
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
  assert (s0 : forall i : process, d i ⋅ (H_ i) ≦ H_ i ⋅ (d i)).
  {
    intros i.
    exact (H1 i).
  }
  assert (s1 : forall i : process, d i ≦ sumx nil (fun k0 => d k0)).
  {
    intros i.
    exact (intro_x nil (fun k0 => d k0) i not_nil).
  }
  assert (s2 : forall i i_3 : process, i <> i_3 -> d i_3 ⋅ (H_ i) ≦ H_ i ⋅ (d i_3)).
  {
    intros i i_3 d_0_3.
    exact (H0 i_3 i (not_eq_sym d_0_3)).
  }
  assert (s3 : forall i_3 : process, d i_3 ≦ sumx nil (fun k0 => d k0)).
  {
    intros i_3.
    exact (intro_x nil (fun k0 => d k0) i_3 not_nil).
  }
  assert (s4 : forall i i_3 : process, i <> i_3 -> d i_3 ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (d i_3) ⋅ N_same_ ⋅ a_H0).
  {
    intros i i_3 d_0_3.
    exact (le_dot (le_dot (s2 i i_3 d_0_3) rfl) rfl).
  }
  assert (s5 : forall i i_3 : process, H_ i ⋅ (d i_3) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i i_3.
    exact (le_dot (le_dot (le_dot rfl (s3 i_3)) rfl) rfl).
  }
  assert (s6 : forall i i_3 : process, i <> i_3 -> d i_3 ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i i_3 d_0_3.
    exact (tr (s4 i i_3 d_0_3) (s5 i i_3)).
  }
  assert (s7 : forall i : process, d i ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (d i) ⋅ N_same_ ⋅ a_H0).
  {
    intros i.
    exact (le_dot (le_dot (s0 i) rfl) rfl).
  }
  assert (s8 : forall i : process, H_ i ⋅ (d i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i.
    exact (le_dot (le_dot (le_dot rfl (s1 i)) rfl) rfl).
  }
  assert (s9 : forall i : process, d i ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i.
    exact (tr (s7 i) (s8 i)).
  }
  assert (s10 : forall i i_3 : process, d i_3 ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i i_3.
    destruct (same i i_3) as [N_same | N_differ].
    - subst i_3. exact (s9 i).
    - exact (s6 i i_3 N_differ).
  }
  assert (s11 : forall i : process, sumx nil (fun k0 => d k0) ⋅ (H_ i) ⋅ N_same_ ⋅ a_H0 ≦ H_ i ⋅ (sumx nil (fun k0 => d k0)) ⋅ N_same_ ⋅ a_H0).
  {
    intros i.
    exact (tr (leaf_18 (sumx nil (fun k0 => d k0)) (H_ i) N_same_ a_H0) (elim_x 1 nil (fun k0 => d k0) (H_ i ⋅ N_same_ ⋅ a_H0) (fun i_3 N3 => (tr (leaf_17 (d i_3) (H_ i) N_same_ a_H0) (s10 i i_3))))).
  }
  intros i.
  exact (s11 i).
Qed.

Lemma leaf_19 (p0 : B) :
  [!p0 ⊓ p0] ≦ 0.
Proof. leaf. Qed.
(** each: (. i : e[i]) (+ i : ~e[i]) <= 0 *)
Theorem each : forall (e : process -> B),
  [!(sumt nil (fun k0 => !(e k0))) ⊓ (sumt nil (fun k0 => !(e k0)))] ≦ 0.
Proof.
  intros e.
  assert (s0 : [!(sumt nil (fun k0 => !(e k0))) ⊓ (sumt nil (fun k0 => !(e k0)))] ≦ 0).
  {
    exact (leaf_19 (sumt nil (fun k0 => !(e k0)))).
  }
  exact s0.
Qed.

Lemma leaf_20 (p0 : B) :
  [!(!p0)] ≦ [p0].
Proof. leaf. Qed.
Lemma leaf_21 (p0 p1 : B) :
  [!p0 ⊓ (!p1)] ≦ [!p0] ⋅ [!p1].
Proof. leaf. Qed.
Lemma leaf_22 (p0 : B) :
  [p0] ⋅ [!p0] ≦ 0.
Proof. leaf. Qed.
Lemma leaf_23 (p0 p1 : B) :
  [!p0] ≦ [p1 ⊔ !p0 ⊓ (!p1)].
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
  assert (s0 : forall i : process, [!(sumt nil (fun k0 => !(e k0)))] ≦ [e i]).
  {
    intros i.
    exact (tr (product_elim nil (fun k0 => !(e k0)) i not_nil) (leaf_20 (e i))).
  }
  assert (s1 : forall i : process, [!(sumt nil (fun k0 => !(e k0))) ⊓ (!(e i))] ≦ 0).
  {
    intros i.
    exact (tr (leaf_21 (sumt nil (fun k0 => !(e k0))) (e i)) (tr (le_dot (s0 i) rfl) (leaf_22 (e i)))).
  }
  assert (s2 : forall i : process, [!(sumt nil (fun k0 => !(e k0)))] ≦ [e i ⊔ !(sumt nil (fun k0 => !(e k0))) ⊓ (!(e i))]).
  {
    intros i.
    exact (leaf_23 (sumt nil (fun k0 => !(e k0))) (e i)).
  }
  assert (s3 : forall i : process, [e i ⊔ !(sumt nil (fun k0 => !(e k0))) ⊓ (!(e i))] ≦ [e i]).
  {
    intros i.
    exact (tr (leaf_24 (e i) (sumt nil (fun k0 => !(e k0)))) (tr (le_cup (s1 i) rfl) (leaf_25 (e i)))).
  }
  assert (s4 : forall i : process, [!(sumt nil (fun k0 => !(e k0)))] ≦ [e i]).
  {
    intros i.
    exact (tr (s2 i) (s3 i)).
  }
  intros i.
  exact (s4 i).
Qed.

Lemma leaf_26 (p0 p1 : B) :
  [p0 ⊓ (!p1)] ≦ [p0] ⋅ [!p1].
Proof. leaf. Qed.
Lemma leaf_27 (p0 p1 : B) :
  [p0] ≦ [p1 ⊔ p0 ⊓ (!p1)].
Proof. leaf. Qed.
Lemma leaf_28 (p0 p1 : B) :
  [p0 ⊔ p1 ⊓ (!p0)] ≦ [p1 ⊓ (!p0)] + [p0].
Proof. leaf. Qed.
Lemma leaf_29 (p0 : B) :
  [p0] ≦ [!(!p0)].
Proof. leaf. Qed.
(** both: q <= (. i : e[i])
    if q <= e[i] *)
Theorem both_ : forall (q : B) (e : process -> B),
  (forall i : process, [q] ≦ [e i]) ->
  [q] ≦ [!(sumt nil (fun k0 => !(e k0)))].
Proof.
  intros q e H0.
  assert (s0 : forall i_3 : process, [q] ≦ [e i_3]).
  {
    intros i_3.
    exact (H0 i_3).
  }
  assert (s1 : forall i_3 : process, [q ⊓ (!(e i_3))] ≦ 0).
  {
    intros i_3.
    exact (tr (leaf_26 q (e i_3)) (tr (le_dot (s0 i_3) rfl) (leaf_22 (e i_3)))).
  }
  assert (s2 : forall i_3 : process, [q] ≦ [e i_3 ⊔ q ⊓ (!(e i_3))]).
  {
    intros i_3.
    exact (leaf_27 q (e i_3)).
  }
  assert (s3 : forall i_3 : process, [e i_3 ⊔ q ⊓ (!(e i_3))] ≦ [e i_3]).
  {
    intros i_3.
    exact (tr (leaf_28 (e i_3) q) (tr (le_cup (s1 i_3) rfl) (leaf_25 (e i_3)))).
  }
  assert (s4 : forall i_3 : process, [q] ≦ [e i_3]).
  {
    intros i_3.
    exact (tr (s2 i_3) (s3 i_3)).
  }
  assert (s5 : [q] ≦ [!(sumt nil (fun k0 => !(e k0)))]).
  {
    exact (product_intro q nil (fun k0 => !(e k0)) (fun i_3 N3 => (tr (s4 i_3) (leaf_29 (e i_3))))).
  }
  exact s5.
Qed.

End export.
