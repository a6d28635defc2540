(* Computable checks, and proofs that what they accept holds as Mechanism.v defines it. *)

From Coq Require Import List QArith Qabs Qminmax Lqa Lia Bool.
From Workbench Require Import Mechanism.
Import ListNotations.
Open Scope lazy_bool_scope.
Open Scope Q_scope.

(* * Sums *)

Section Sums.
Context {A : Type}.
Implicit Types (f g : A -> Q) (l : list A).

Lemma sum_le f g l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  pose proof (H a (or_introl eq_refl)). assert (sum f l <= sum g l) by auto. lra.
Qed.

Lemma sum_eq f g l : (forall a, In a l -> f a == g a) -> sum f l == sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  pose proof (H a (or_introl eq_refl)). assert (sum f l == sum g l) by auto. lra.
Qed.

Lemma sum_nonneg f l : (forall a, In a l -> 0 <= f a) -> 0 <= sum f l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  pose proof (H a (or_introl eq_refl)). assert (0 <= sum f l) by auto. lra.
Qed.

Lemma sum_add f g l : sum (fun a => f a + g a) l == sum f l + sum g l.
Proof. induction l as [|a l IH]; simpl; lra. Qed.

Lemma sum_scale c f l : sum (fun a => c * f a) l == c * sum f l.
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma sum_filter f S l : sum f (filter S l) == sum (fun a => if S a then f a else 0) l.
Proof. induction l as [|a l IH]; simpl; [lra|]. destruct (S a); simpl; lra. Qed.
End Sums.

Lemma sum_swap {A B} (f : A -> B -> Q) l k :
  sum (fun a => sum (f a) k) l == sum (fun b => sum (fun a => f a b) l) k.
Proof.
  induction l as [|a l IH]; simpl.
  - induction k; simpl; lra.
  - rewrite IH, sum_add. lra.
Qed.

(* A sum of which only one term is not 0. *)
Lemma sum_one f i n k : (k <= i < k + n)%nat ->
  sum (fun j => if Nat.eqb i j then f j else 0) (seq k n) == f i.
Proof.
  revert k. induction n as [|n IH]; intros k H; [lia|]. simpl.
  destruct (Nat.eqb_spec i k) as [->|E].
  - rewrite (sum_eq _ (fun _ => 0)).
    + rewrite <- (Qplus_0_r (f k)) at 2. apply Qplus_inj_l.
      clear. generalize (S k). induction n; simpl; intros; [lra|]. rewrite IHn. lra.
    + intros j Hj. apply in_seq in Hj. destruct (Nat.eqb_spec k j); [lia|lra].
  - rewrite IH by lia. lra.
Qed.

(* Addition that keeps equal denominators, and otherwise reduces the sum. *)
Definition plus (a b : Q) : Q :=
  if Pos.eqb (Qden a) (Qden b) then (Qnum a + Qnum b) # Qden a else Qred (a + b).

Lemma plus_correct a b : plus a b == a + b.
Proof.
  unfold plus. destruct (Pos.eqb_spec (Qden a) (Qden b)) as [E|_]; [|apply Qred_correct].
  destruct a as [n d], b as [k e]; simpl in *; subst e. unfold Qeq, Qplus; simpl.
  rewrite Pos2Z.inj_mul. ring.
Qed.

Definition total {A} (f : A -> Q) (l : list A) : Q := fold_right (fun a s => plus (f a) s) 0 l.

Lemma total_correct {A} (f : A -> Q) l : total f l == sum f l.
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite plus_correct, IH. lra. Qed.

Definition positive_part (a : Q) : Q := if Qle_bool 0 a then a else 0.

Lemma positive_part_correct a : 0 <= positive_part a /\ a <= positive_part a.
Proof.
  unfold positive_part. destruct (Qle_bool 0 a) eqn:E.
  - apply Qle_bool_iff in E. lra.
  - assert (~ 0 <= a) by (rewrite <- Qle_bool_iff; congruence). lra.
Qed.

(* * Datasets, places and neighbors that the checks visit *)

Lemma in_range q r : In r (range q) <-> (r < places q)%nat.
Proof. unfold range. rewrite in_seq. lia. Qed.

Lemma in_datasets q x : In x (datasets q) <-> (x < size q)%nat.
Proof. unfold datasets. rewrite in_seq. lia. Qed.

Definition everywhere (q : query) (ok : nat -> nat -> bool) : bool :=
  forallb (fun p => ok (fst p) (snd p) && ok (snd p) (fst p)) (neighbors q).

Lemma everywhere_sound q ok : everywhere q ok = true -> forall x y, neighboring q x y -> ok x y = true.
Proof.
  unfold everywhere. rewrite forallb_forall. intros H x y [I|I];
  apply H in I; apply andb_prop in I; simpl in I; tauto.
Qed.

(* && and || compute both of their arguments; &&& and ||| compute the second only if it matters. *)
Definition neighboring_b (q : query) (x y : nat) : bool :=
  existsb (fun p => ((Nat.eqb (fst p) x &&& Nat.eqb (snd p) y) ||| (Nat.eqb (fst p) y &&& Nat.eqb (snd p) x))) (neighbors q).

Ltac strict := rewrite <- ?orb_lazy_alt, <- ?andb_lazy_alt in *.

Lemma neighboring_b_sound q x y : neighboring_b q x y = true -> neighboring q x y.
Proof.
  unfold neighboring_b, neighboring. rewrite existsb_exists. intros [[a b] [I E]]. strict. simpl in E.
  rewrite orb_true_iff, !andb_true_iff, !Nat.eqb_eq in E.
  destruct E as [[-> ->]|[-> ->]]; auto.
Qed.

Ltac split_check H :=
  cbv zeta in H; repeat match type of H with
  | _ && _ = true => let H' := fresh "C" in apply andb_prop in H; destruct H as [H H']
  end.

Lemma only_place q r : (r < places q)%nat -> forall m x, prob q m x (Nat.eqb r) == m x r.
Proof.
  intros L m x. unfold prob. rewrite sum_filter. apply (sum_one (m x)). simpl. lia.
Qed.

(* * Laws and privacy *)

Definition law_check (q : query) (m : mechanism) : bool :=
  forallb (fun x => forallb (fun r => Qle_bool 0 (m x r)) (range q) && Qeq_bool (total (m x) (range q)) 1) (datasets q).

Theorem law_sound q m : law_check q m = true -> law q m.
Proof.
  unfold law_check, law. rewrite forallb_forall. intros H x L.
  specialize (H x (proj2 (in_datasets q x) L)). apply andb_prop in H. destruct H as [N T].
  rewrite forallb_forall in N. split.
  - intros r R. apply Qle_bool_iff, N, in_range, R.
  - rewrite <- total_correct. apply Qeq_bool_iff, T.
Qed.

Definition dp_check (q : query) (w : Q) (m : mechanism) : bool :=
  everywhere q (fun x y => forallb (fun r => Qle_bool (m x r) (w * m y r)) (range q)).

Theorem dp_sound q w m : dp_check q w m = true -> dp q w m.
Proof.
  intros H x y S N. apply (everywhere_sound _ _ H) in N. rewrite forallb_forall in N.
  unfold prob. rewrite <- sum_scale. apply sum_le. intros r I. apply filter_In in I.
  apply Qle_bool_iff, N, I.
Qed.

(* The largest excess of an event's probability at x over w times that at y. *)
Definition excess (q : query) (w : Q) (m : mechanism) (x y : nat) : Q :=
  total (fun r => positive_part (m x r - w * m y r)) (range q).

Lemma excess_above q w m x y S : prob q m x S <= w * prob q m y S + excess q w m x y.
Proof.
  unfold excess, prob. rewrite total_correct, !sum_filter, <- sum_scale, <- sum_add.
  apply sum_le. intros r _. pose proof (positive_part_correct (m x r - w * m y r)).
  destruct (S r); lra.
Qed.

Lemma excess_attained q w m x y :
  exists S, prob q m x S == w * prob q m y S + excess q w m x y.
Proof.
  exists (fun r => Qle_bool 0 (m x r - w * m y r)).
  unfold excess, prob. rewrite total_correct, !sum_filter, <- sum_scale, <- sum_add.
  apply sum_eq. intros r _. unfold positive_part. destruct (Qle_bool 0 (m x r - w * m y r)); lra.
Qed.

Definition dp_delta_check (q : query) (w d : Q) (m : mechanism) : bool :=
  everywhere q (fun x y => Qle_bool (excess q w m x y) d).

Theorem dp_delta_sound q w d m : dp_delta_check q w d m = true -> dp_delta q w d m.
Proof.
  intros H x y S N. apply (everywhere_sound _ _ H) in N. apply Qle_bool_iff in N.
  pose proof (excess_above q w m x y S). lra.
Qed.

(* * The least w and the least δ; the witness is a pair of neighbors, and for w a place *)

Definition least_w_check (q : query) (w : Q) (m : mechanism) (x y r : nat) : bool :=
  dp_check q w m && Qle_bool 1 w &&
  (Qeq_bool w 1 ||
   neighboring_b q x y && Nat.ltb r (places q) && negb (Qle_bool (m y r) 0) && Qle_bool (w * m y r) (m x r)).

Theorem least_w_sound q w m x y r : least_w_check q w m x y r = true -> least_w q w m.
Proof.
  unfold least_w_check. intros H. split_check H.
  apply Qle_bool_iff in C0. split; [exact C0|]. split; [apply dp_sound, H|].
  intros w' O D. apply orb_prop in C. destruct C as [E|C].
  - apply Qeq_bool_iff in E. lra.
  - split_check C. apply neighboring_b_sound in C. apply Nat.ltb_lt in C3. apply Qle_bool_iff in C1.
    assert (P : 0 < m y r).
    { apply Qnot_le_lt. rewrite <- Qle_bool_iff. destruct (Qle_bool (m y r) 0); [discriminate|congruence]. }
    specialize (D x y (Nat.eqb r) C). rewrite !only_place in D by assumption.
    apply Qmult_le_r with (z := m y r); [exact P|lra].
Qed.

(* No w suffices: only one of two neighbors outputs the value r. *)
Definition no_w_check (q : query) (m : mechanism) (x y r : nat) : bool :=
  neighboring_b q x y && Nat.ltb r (places q) && Qeq_bool (m y r) 0 && negb (Qle_bool (m x r) 0).

Theorem no_w_sound q m x y r : no_w_check q m x y r = true -> forall w, ~ dp q w m.
Proof.
  unfold no_w_check. intros H w D. split_check H. apply neighboring_b_sound in H. apply Nat.ltb_lt in C1.
  apply Qeq_bool_iff in C0. specialize (D x y (Nat.eqb r) H). rewrite !only_place in D by assumption.
  assert (L : m x r <= 0) by (rewrite C0 in D; lra).
  apply Qle_bool_iff in L. rewrite L in C. discriminate.
Qed.

Definition least_delta_check (q : query) (w d : Q) (m : mechanism) (x y : nat) : bool :=
  dp_delta_check q w d m && Qle_bool 0 d &&
  (Qeq_bool d 0 || neighboring_b q x y && Qle_bool d (excess q w m x y)).

Theorem least_delta_sound q w d m x y : least_delta_check q w d m x y = true -> least_delta q w d m.
Proof.
  unfold least_delta_check. intros H. split_check H.
  apply Qle_bool_iff in C0. split; [exact C0|]. split; [apply dp_delta_sound, H|].
  intros d' O D. apply orb_prop in C. destruct C as [E|C].
  - apply Qeq_bool_iff in E. lra.
  - split_check C. apply neighboring_b_sound in C. apply Qle_bool_iff in C1.
    destruct (excess_attained q w m x y) as [S E]. specialize (D x y S C). lra.
Qed.

(* * Refutations; the witness is a pair of neighbors and an event, listed by its places *)

Definition event (places : list nat) : nat -> bool := fun r => existsb (Nat.eqb r) places.

Definition dp_delta_refutes (q : query) (w d : Q) (m : mechanism) (x y : nat) (S : list nat) : bool :=
  let kept := filter (event S) (range q) in
  neighboring_b q x y && negb (Qle_bool (total (m x) kept) (w * total (m y) kept + d)).

Theorem dp_delta_refuted q w d m x y S : dp_delta_refutes q w d m x y S = true -> ~ dp_delta q w d m.
Proof.
  unfold dp_delta_refutes. intros H D. split_check H. apply neighboring_b_sound in H.
  specialize (D x y (event S) H). unfold prob in D. rewrite <- !total_correct in D.
  apply Qle_bool_iff in D. rewrite D in C. discriminate.
Qed.

Lemma dp_is_delta q w m : dp q w m <-> dp_delta q w 0 m.
Proof. split; intros H x y S N; specialize (H x y S N); lra. Qed.

Theorem dp_refuted q w m x y S : dp_delta_refutes q w 0 m x y S = true -> ~ dp q w m.
Proof. rewrite dp_is_delta. apply dp_delta_refuted. Qed.

(* * The optimum, by duality *)

(* The prices of the constraints p^x(r) <= w p^y(r) for neighbors x, y and every place r. *)
Record price := Price { above : nat; below : nat; worth : list Q }.

Definition at_place (r : nat) (p : price) : Q := nth r (worth p) 0.
Definition dearest (p : price) : Q := fold_right Qmax 0 (worth p).

Definition price_check (q : query) (p : price) : bool :=
  neighboring_b q (above p) (below p) && Nat.ltb (above p) (size q) && Nat.ltb (below p) (size q) &&
  forallb (Qle_bool 0) (worth p).

(* The cost of a unit of probability of r at x under the given prices. *)
Definition rate (q : query) (w : Q) (weight : nat -> Q) (out back : list price) (x r : nat) : Q :=
  plus (weight x * distance q x r) (plus (total (at_place r) out) (- (w * total (at_place r) back))).

Definition rates (q : query) (w : Q) (weight : nat -> Q) (prices : list price) (x : nat) : list Q :=
  let out := filter (fun p => Nat.eqb (above p) x) prices in
  let back := filter (fun p => Nat.eqb (below p) x) prices in
  map (rate q w weight out back x) (range q).

Definition smallest (l : list Q) : Q :=
  match l with
  | [] => 0
  | a :: l => fold_right (fun b s => if Qle_bool b s then b else s) a l
  end.

Definition lower (q : query) (w d : Q) (weight : nat -> Q) (prices : list price) : Q :=
  plus (total (fun x => smallest (rates q w weight prices x)) (datasets q)) (- (d * total dearest prices)).

Lemma smallest_le l b : In b l -> smallest l <= b.
Proof.
  assert (F : forall a l, fold_right (fun b s => if Qle_bool b s then b else s) a l <= a /\
              forall b, In b l -> fold_right (fun b s => if Qle_bool b s then b else s) a l <= b).
  { clear. intros a l. induction l as [|c l [IA IL]]; simpl; [split; [lra|tauto]|].
    set (s := fold_right _ a l) in *. destruct (Qle_bool c s) eqn:E.
    - apply Qle_bool_iff in E. split; [lra|]. intros b [->|I]; [lra|]. apply IL in I. lra.
    - assert (~ c <= s) by (rewrite <- Qle_bool_iff; congruence).
      split; [lra|]. intros b [->|I]; [lra|]. apply IL in I. lra. }
  destruct l as [|a l]; simpl; [tauto|]. destruct (F a l) as [FA FL]. intros [<-|I]; auto.
Qed.

Lemma dearest_ge p r : at_place r p <= dearest p /\ 0 <= dearest p.
Proof.
  unfold at_place, dearest. generalize (worth p). clear. intros l. revert r.
  induction l as [|a l IH]; intros [|r]; simpl; try lra.
  - split; [apply Q.le_max_l|]. apply Qle_trans with (fold_right Qmax 0 l); [apply (IH 0%nat)|apply Q.le_max_r].
  - destruct (IH r). split; (apply Qle_trans with (fold_right Qmax 0 l); [assumption|apply Q.le_max_r]).
Qed.

Lemma at_place_nonneg p r : forallb (Qle_bool 0) (worth p) = true -> 0 <= at_place r p.
Proof.
  unfold at_place. rewrite forallb_forall. intros H.
  destruct (Nat.ltb_spec r (length (worth p))) as [L|L].
  - apply Qle_bool_iff, H, nth_In, L.
  - rewrite nth_overflow by lia. lra.
Qed.

(* The priced violations of a pair add up to at most δ times its largest price. *)
Lemma collected q w d m p : dp_delta q w d m -> price_check q p = true ->
  sum (fun r => at_place r p * (m (above p) r - w * m (below p) r)) (range q) <= d * dearest p.
Proof.
  unfold price_check. intros D H. split_check H. apply neighboring_b_sound in H.
  destruct (excess_attained q w m (above p) (below p)) as [S E].
  specialize (D _ _ S H). destruct (dearest_ge p 0) as [_ P].
  apply Qle_trans with (dearest p * excess q w m (above p) (below p)).
  - unfold excess. rewrite total_correct, <- sum_scale. apply sum_le. intros r _.
    pose proof (positive_part_correct (m (above p) r - w * m (below p) r)) as [N G].
    pose proof (at_place_nonneg p r C) as U. destruct (dearest_ge p r) as [V _].
    apply Qle_trans with (at_place r p * positive_part (m (above p) r - w * m (below p) r)); nra.
  - assert (excess q w m (above p) (below p) <= d) by lra. nra.
Qed.

Theorem lower_sound q w d weight prices m :
  forallb (price_check q) prices = true -> law q m -> dp_delta q w d m ->
  lower q w d weight prices <= mean q weight m.
Proof.
  rewrite forallb_forall. intros H L D.
  assert (G : sum (fun p => sum (fun r => at_place r p * (m (above p) r - w * m (below p) r)) (range q)) prices
              <= d * sum dearest prices).
  { rewrite <- sum_scale. apply sum_le. intros p I. apply collected; auto. }
  assert (R : sum (fun x => smallest (rates q w weight prices x)) (datasets q) <=
              mean q weight m + sum (fun p => sum (fun r => at_place r p * (m (above p) r - w * m (below p) r)) (range q)) prices).
  2: { unfold lower. rewrite plus_correct, !total_correct. lra. }
  assert (E : sum (fun p => sum (fun r => at_place r p * (m (above p) r - w * m (below p) r)) (range q)) prices ==
          sum (fun x => sum (fun r => m x r *
            (sum (at_place r) (filter (fun p => Nat.eqb (above p) x) prices) -
             w * sum (at_place r) (filter (fun p => Nat.eqb (below p) x) prices))) (range q)) (datasets q)).
  { transitivity (sum (fun p => sum (fun x => sum (fun r =>
        (if Nat.eqb (above p) x then m x r * at_place r p else 0) +
        - w * (if Nat.eqb (below p) x then m x r * at_place r p else 0)) (range q)) (datasets q)) prices).
    - apply sum_eq. intros p I. specialize (H p I). unfold price_check in H. split_check H.
      apply Nat.ltb_lt in C0, C1. rewrite sum_swap. apply sum_eq. intros r _.
      rewrite sum_add, sum_scale. unfold datasets.
      rewrite (sum_one (fun x => m x r * at_place r p)) by lia.
      rewrite (sum_one (fun x => m x r * at_place r p)) by lia. lra.
    - rewrite sum_swap. apply sum_eq. intros x _. rewrite sum_swap. apply sum_eq. intros r _.
      assert (K : forall side : price -> nat,
        sum (fun p => if Nat.eqb (side p) x then m x r * at_place r p else 0) prices ==
        m x r * sum (fun p => if Nat.eqb (side p) x then at_place r p else 0) prices).
      { intros side. rewrite <- sum_scale. apply sum_eq. intros p _. destruct (Nat.eqb (side p) x); lra. }
      rewrite sum_add, sum_scale, !sum_filter, !K. lra. }
  rewrite E. unfold mean. rewrite <- sum_add. apply sum_le. intros x I. apply in_datasets in I.
  destruct (L x I) as [N One]. unfold distortion. rewrite <- sum_scale, <- sum_add.
  rewrite <- (Qmult_1_r (smallest _)), <- One, <- sum_scale. apply sum_le. intros r J.
  pose proof J as J'. apply in_range in J'. specialize (N r J').
  assert (M : smallest (rates q w weight prices x) <=
              rate q w weight (filter (fun p => Nat.eqb (above p) x) prices) (filter (fun p => Nat.eqb (below p) x) prices) x r).
  { apply smallest_le. unfold rates. apply in_map, J. }
  unfold rate in M. rewrite !plus_correct, !total_correct in M. nra.
Qed.

Definition mean_total (q : query) (prior : nat -> Q) (m : mechanism) : Q :=
  total (fun x => prior x * total (fun r => m x r * distance q x r) (range q)) (datasets q).

Lemma mean_total_correct q prior m : mean_total q prior m == mean q prior m.
Proof.
  unfold mean_total, mean. rewrite total_correct. apply sum_eq. intros x _.
  rewrite total_correct. unfold distortion. reflexivity.
Qed.

Definition mean_check (q : query) (prior : nat -> Q) (v : Q) (m : mechanism) : bool :=
  Qeq_bool (mean_total q prior m) v.

Theorem mean_sound q prior v m : mean_check q prior v m = true -> mean q prior m == v.
Proof. intros H. rewrite <- mean_total_correct. apply Qeq_bool_iff, H. Qed.

Definition distortion_check (q : query) (x : nat) (v : Q) (m : mechanism) : bool :=
  Qeq_bool (total (fun r => m x r * distance q x r) (range q)) v.

Theorem distortion_sound q x v m : distortion_check q x v m = true -> distortion q m x == v.
Proof. intros H. unfold distortion. rewrite <- total_correct. apply Qeq_bool_iff, H. Qed.

Definition priced (q : query) (w d : Q) (weight : nat -> Q) (v : Q) (prices : list price) : bool :=
  forallb (price_check q) prices && Qle_bool v (lower q w d weight prices).

Lemma priced_sound q w d weight v prices m :
  priced q w d weight v prices = true -> law q m -> dp_delta q w d m -> v <= mean q weight m.
Proof.
  unfold priced. intros H L D. split_check H. apply Qle_bool_iff in C.
  pose proof (lower_sound q w d weight prices m H L D). lra.
Qed.

Theorem mean_optimum_sound q w prior v m prices :
  law_check q m && dp_check q w m && mean_check q prior v m && priced q w 0 prior v prices = true ->
  optimum q (dp q w) (mean q prior) v.
Proof.
  intros H. split_check H. split.
  - exists m. split; [apply law_sound, H|]. split; [apply dp_sound, C1|].
    rewrite <- mean_total_correct. apply Qeq_bool_iff, C0.
  - intros m' L D. apply dp_is_delta in D. eapply priced_sound; eauto.
Qed.

Theorem mean_optimum_delta_sound q w d prior v m prices :
  law_check q m && dp_delta_check q w d m && mean_check q prior v m && priced q w d prior v prices = true ->
  optimum q (dp_delta q w d) (mean q prior) v.
Proof.
  intros H. split_check H. split.
  - exists m. split; [apply law_sound, H|]. split; [apply dp_delta_sound, C1|].
    rewrite <- mean_total_correct. apply Qeq_bool_iff, C0.
  - intros m' L D. eapply priced_sound; eauto.
Qed.

(* The largest distortion is at least any mean. *)

Definition weights_check (q : query) (weights : nat -> Q) : bool :=
  forallb (fun x => Qle_bool 0 (weights x)) (datasets q) && Qeq_bool (total weights (datasets q)) 1.

Lemma worst_ge q m x : (x < size q)%nat -> distortion q m x <= worst q m.
Proof.
  unfold worst. rewrite <- in_datasets. generalize (datasets q).
  induction l as [|a l IH]; simpl; [tauto|]. intros [->|I]; [apply Q.le_max_l|].
  apply Qle_trans with (fold_right Qmax 0 (map (distortion q m) l)); [auto|apply Q.le_max_r].
Qed.

Lemma worst_ge_mean q weights m : weights_check q weights = true -> mean q weights m <= worst q m.
Proof.
  unfold weights_check. intros H. split_check H. rewrite forallb_forall in H.
  apply Qeq_bool_iff in C. rewrite total_correct in C. unfold mean.
  rewrite <- (Qmult_1_r (worst q m)), <- C, <- sum_scale. apply sum_le. intros x I.
  pose proof (H x I) as N. apply Qle_bool_iff in N. apply in_datasets in I.
  pose proof (worst_ge q m x I). nra.
Qed.

Definition worst_total (q : query) (m : mechanism) : Q :=
  fold_right Qmax 0 (map (fun x => total (fun r => m x r * distance q x r) (range q)) (datasets q)).

Lemma worst_total_correct q m : worst_total q m == worst q m.
Proof.
  unfold worst_total, worst. induction (datasets q) as [|x l IH]; simpl; [lra|].
  rewrite total_correct, IH. unfold distortion. reflexivity.
Qed.

Definition worst_check (q : query) (v : Q) (m : mechanism) : bool := Qeq_bool (worst_total q m) v.

Theorem worst_optimum_sound q w v m weights prices :
  law_check q m && dp_check q w m && worst_check q v m && weights_check q weights && priced q w 0 weights v prices = true ->
  optimum q (dp q w) (worst q) v.
Proof.
  intros H. split_check H. split.
  - exists m. split; [apply law_sound, H|]. split; [apply dp_sound, C2|].
    rewrite <- worst_total_correct. apply Qeq_bool_iff, C1.
  - intros m' L D. apply dp_is_delta in D. apply Qle_trans with (mean q weights m').
    + eapply priced_sound; eauto.
    + apply worst_ge_mean, C0.
Qed.

Theorem worst_optimum_delta_sound q w d v m weights prices :
  law_check q m && dp_delta_check q w d m && worst_check q v m && weights_check q weights && priced q w d weights v prices = true ->
  optimum q (dp_delta q w d) (worst q) v.
Proof.
  intros H. split_check H. split.
  - exists m. split; [apply law_sound, H|]. split; [apply dp_delta_sound, C2|].
    rewrite <- worst_total_correct. apply Qeq_bool_iff, C1.
  - intros m' L D. apply Qle_trans with (mean q weights m').
    + eapply priced_sound; eauto.
    + apply worst_ge_mean, C0.
Qed.
