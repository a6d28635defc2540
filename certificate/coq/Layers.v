(* Checks that a table is the law of a layered mechanism or of the Ladder. *)

From Coq Require Import List QArith Lqa Lia Bool.
From Workbench Require Import Mechanism Checks.
Import ListNotations.
Open Scope lazy_bool_scope.
Open Scope Q_scope.

Definition levels := list (list (option nat)).
Definition level_at (l : levels) (x r : nat) : option nat := nth r (nth x l []) None.

(* Levels of a table in which every value has a level. *)
Definition all_reached : list (list nat) -> levels := map (map Some).

Definition leveled_check (q : query) (z : Q) (l : levels) (m : mechanism) : bool :=
  forallb (fun x =>
    let whole := total (fun s => weigh z (level_at l x s)) (range q) in
    negb (Qle_bool whole 0) &&
    forallb (fun r => Qeq_bool (m x r * whole) (weigh z (level_at l x r))) (range q)) (datasets q).

Lemma leveled_sound q z l m : leveled_check q z l m = true -> leveled q z (level_at l) m.
Proof.
  unfold leveled_check. rewrite forallb_forall. intros H x r X R.
  apply in_datasets, H in X. apply andb_prop in X. destruct X as [P E].
  rewrite forallb_forall in E. apply in_range, E, Qeq_bool_iff in R.
  set (whole := sum (fun s => weigh z (level_at l x s)) (range q)) in *.
  assert (T : total (fun s => weigh z (level_at l x s)) (range q) == whole) by apply total_correct.
  assert (0 < whole).
  { rewrite <- T. apply Qnot_le_lt. rewrite <- Qle_bool_iff.
    destruct (Qle_bool _ 0); [discriminate P|congruence]. }
  split; [assumption|]. rewrite <- R, T. field. lra.
Qed.

(* * Layers *)

(* Comparison of levels, where None is above every level. *)
Definition at_most (a b : option nat) : bool :=
  match a, b with
  | _, None => true
  | None, Some _ => false
  | Some i, Some j => Nat.leb i j
  end.

Definition is_level (l : levels) (x r k : nat) : bool :=
  match level_at l x r with
  | Some j => Nat.eqb j k
  | None => false
  end.

Definition adjacent (q : query) (x : nat) : list nat :=
  map snd (filter (fun p => Nat.eqb (fst p) x) (neighbors q)) ++
  map fst (filter (fun p => Nat.eqb (snd p) x) (neighbors q)).

Lemma near_sound q x ok : existsb ok (adjacent q x) = true -> exists y, neighboring q x y /\ ok y = true.
Proof.
  rewrite existsb_exists. intros [y [I E]]. exists y. split; [|exact E].
  apply in_app_or in I. destruct I as [I|I]; apply in_map_iff in I; destruct I as [[a b] [<- I]];
  apply filter_In in I; destruct I as [I M]; apply Nat.eqb_eq in M; simpl in M; subst x; [left|right]; exact I.
Qed.

Definition inside (q : query) : bool :=
  forallb (fun p => Nat.ltb (fst p) (size q) && Nat.ltb (snd p) (size q)) (neighbors q).

Lemma inside_sound q x y : inside q = true -> neighboring q x y -> (x < size q)%nat /\ (y < size q)%nat.
Proof.
  unfold inside. rewrite forallb_forall. intros H [I|I]; apply H in I;
  apply andb_prop in I; simpl in I; rewrite !Nat.ltb_lt in I; tauto.
Qed.

Definition layers_check (q : query) (initial : list (nat * nat * nat)) (l : levels) : bool :=
  inside q &&
  forallb (fun s => at_most (level_at l (fst (fst s)) (snd s)) (Some (snd (fst s)))) initial &&
  everywhere q (fun x y => forallb (fun r => at_most (level_at l x r) (option_map S (level_at l y r))) (range q)) &&
  forallb (fun x => let near := adjacent q x in forallb (fun r =>
    match level_at l x r with
    | None => true
    | Some k =>
        existsb (fun s => Nat.eqb (snd (fst s)) k &&& Nat.eqb (snd s) r &&& Nat.eqb (fst (fst s)) x) initial |||
        match k with
        | O => false
        | S j => existsb (fun y => is_level l y r j) near
        end
    end) (range q)) (datasets q).

Lemma layers_sound q initial l : layers_check q initial l = true ->
  forall x r, (x < size q)%nat -> (r < places q)%nat ->
  is_least (fun k => exists y i j, In (y, i, r) initial /\ path q x y j /\ k = (i + j)%nat) (level_at l x r).
Proof.
  unfold layers_check. intros H x r X R. split_check H.
  rewrite forallb_forall in C1. rewrite forallb_forall in C.
  assert (Low : forall x y j, path q x y j -> forall i, In (y, i, r) initial ->
                exists k, level_at l x r = Some k /\ (k <= i + j)%nat).
  { clear x X. intros x y j W. induction W as [x|x y z j N W IH]; intros i I.
    - apply C1 in I. simpl in I. destruct (level_at l x r) as [k|]; [|discriminate].
      apply Nat.leb_le in I. exists k. split; [reflexivity|lia].
    - destruct (IH i I) as [k [E K]]. apply (everywhere_sound _ _ C0) in N.
      rewrite forallb_forall in N. specialize (N r (proj2 (in_range q r) R)). rewrite E in N. simpl in N.
      destruct (level_at l x r) as [k'|]; [|discriminate]. apply Nat.leb_le in N.
      exists k'. split; [reflexivity|lia]. }
  assert (Got : forall k x, (x < size q)%nat -> level_at l x r = Some k ->
                exists y i j, In (y, i, r) initial /\ path q x y j /\ k = (i + j)%nat).
  { clear x X. induction k as [|k IH]; intros x X E;
    pose proof (C x (proj2 (in_datasets q x) X)) as D; rewrite forallb_forall in D;
    specialize (D r (proj2 (in_range q r) R)); rewrite E in D; strict; apply orb_prop in D.
    all: destruct D as [D|D];
      [apply existsb_exists in D; destruct D as [[[y i] s] [I M]]; strict; simpl in M;
      rewrite !andb_true_iff, !Nat.eqb_eq in M; destruct M as [[-> ->] ->];
      exists x; eexists; exists 0%nat; split; [exact I|split; [constructor|lia]]|].
    - discriminate.
    - apply near_sound in D. destruct D as [y [N M]]. unfold is_level in M.
      destruct (level_at l y r) as [j|] eqn:F; [|discriminate]. apply Nat.eqb_eq in M. subst j.
      destruct (inside_sound _ _ _ H N) as [_ Y].
      destruct (IH y Y F) as [y' [i [j [I [W K]]]]].
      exists y', i, (S j). split; [exact I|]. split; [econstructor; eassumption|lia]. }
  unfold is_least. destruct (level_at l x r) as [k|] eqn:E.
  - split; [apply Got; assumption|]. intros k' [y [i [j [I [W ->]]]]].
    destruct (Low x y j W i I) as [k'' [E' K]]. rewrite E in E'. injection E' as <-. exact K.
  - intros k' [y [i [j [I [W _]]]]]. destruct (Low x y j W i I) as [k [E' _]]. congruence.
Qed.

Theorem layered_sound q z initial l m :
  leveled_check q z l m && layers_check q initial l = true -> layered q z initial m.
Proof.
  intros H. split_check H. exists (level_at l). split; [apply leveled_sound, H|apply layers_sound, C].
Qed.

Definition purest_check (q : query) (z : Q) (l : levels) (m : mechanism) : bool :=
  leveled_check q z l m && layers_check q (map (fun x => (x, 0%nat, answer q x)) (datasets q)) l.

Theorem purest_sound q z l m : purest_check q z l m = true -> purest q z m.
Proof. apply layered_sound. Qed.

(* * The Ladder *)

(* I_0, I_1, … of every dataset, constant from I_last on. *)
Definition width (widths : list (list Q)) (last x t : nat) : Q := nth (Nat.min t last) (nth x widths []) 0.

Definition widths_check (q : query) (widths : list (list Q)) (last : nat) : bool :=
  let I := width widths last in
  inside q &&
  forallb (fun x => Qle_bool 0 (I x 0%nat)) (datasets q) &&
  everywhere q (fun x y => Qle_bool (metric q (answer q x) (answer q y)) (I x 0%nat)) &&
  forallb (fun x => Qeq_bool (I x 0%nat) 0 ||
    existsb (fun y => Qeq_bool (I x 0%nat) (metric q (answer q x) (answer q y))) (adjacent q x)) (datasets q) &&
  forallb (fun x => forallb (fun t => Qle_bool (I x t) (I x (S t))) (seq 0 last)) (datasets q) &&
  everywhere q (fun x y => forallb (fun t => Qle_bool (I y t) (I x (S t))) (seq 0 (S last))) &&
  forallb (fun x => let near := adjacent q x in forallb (fun t => Qeq_bool (I x (S t)) (I x t) |||
    existsb (fun y => Qeq_bool (I x (S t)) (I y t)) near) (seq 0 last)) (datasets q).

Section Widths.
Variables (q : query) (widths : list (list Q)) (last : nat).
Let I := width widths last.
Hypothesis H : widths_check q widths last = true.

Lemma stays x t : (last <= t)%nat -> I x (S t) = I x t.
Proof. intros L. unfold I, width. rewrite !Nat.min_r by lia. reflexivity. Qed.

Lemma stays_at x t : (last <= t)%nat -> I x t = I x last.
Proof. intros L. unfold I, width. rewrite !Nat.min_r by lia. reflexivity. Qed.

Lemma grows x t : (x < size q)%nat -> I x t <= I x (S t).
Proof.
  intros X. pose proof H as K. unfold widths_check in K. split_check K.
  destruct (Nat.ltb_spec t last) as [L|L]; [|rewrite stays by lia; lra].
  rewrite forallb_forall in C1. specialize (C1 x (proj2 (in_datasets q x) X)).
  rewrite forallb_forall in C1. apply Qle_bool_iff, C1, in_seq. lia.
Qed.

Lemma grows_to x t u : (x < size q)%nat -> (t <= u)%nat -> I x t <= I x u.
Proof. intros X L. induction L; [lra|]. pose proof (grows x m X). lra. Qed.

Lemma passes x y t : neighboring q x y -> I y t <= I x (S t).
Proof.
  intros N. pose proof H as K. unfold widths_check in K. split_check K.
  apply (everywhere_sound _ _ C0) in N. rewrite forallb_forall in N.
  destruct (Nat.ltb_spec t last) as [L|L].
  - apply Qle_bool_iff, N, in_seq. lia.
  - rewrite (stays x t), (stays_at y t), (stays_at x t), <- (stays x last) by lia. apply Qle_bool_iff, N, in_seq. lia.
Qed.

Lemma width_nonneg x t : (x < size q)%nat -> 0 <= I x t.
Proof.
  intros X. apply Qle_trans with (I x 0%nat); [|apply grows_to; [exact X|lia]].
  pose proof H as K. unfold widths_check in K. split_check K. rewrite forallb_forall in C4.
  apply Qle_bool_iff, C4, in_datasets, X.
Qed.

Lemma widths_sound x t : (x < size q)%nat -> widest q x t (I x t).
Proof.
  intros X. split; [apply width_nonneg, X|]. split.
  - assert (Far : forall x y j, path q x y j -> I y 0%nat <= I x j).
    { clear x X. intros x y j W. induction W as [x|x y z j N W IH]; [lra|].
      pose proof (passes x y j N). lra. }
    intros y y' j W L N. apply Qle_trans with (I y 0%nat).
    + pose proof H as K. unfold widths_check in K. split_check K. apply Qle_bool_iff. apply (everywhere_sound _ _ C3), N.
    + apply Qle_trans with (I x j); [apply Far, W|apply grows_to; assumption].
  - revert x X. induction t as [|t IH]; intros x X.
    + pose proof H as K. unfold widths_check in K. split_check K. rewrite forallb_forall in C2.
      specialize (C2 x (proj2 (in_datasets q x) X)). apply orb_prop in C2. destruct C2 as [E|E].
      * left. apply Qeq_bool_iff, E.
      * right. apply near_sound in E. destruct E as [y [N E]].
        exists x, y, 0%nat. split; [constructor|]. split; [lia|]. split; [exact N|apply Qeq_bool_iff, E].
    + assert (Back : I x (S t) == I x t \/ exists y, neighboring q x y /\ (y < size q)%nat /\ I x (S t) == I y t).
      { destruct (Nat.ltb_spec t last) as [L|L]; [|left; rewrite stays by lia; reflexivity].
        pose proof H as K. unfold widths_check in K. split_check K. rewrite forallb_forall in C.
        specialize (C x (proj2 (in_datasets q x) X)). rewrite forallb_forall in C.
        assert (T : In t (seq 0 last)) by (apply in_seq; lia).
        specialize (C t T). strict. apply orb_prop in C. destruct C as [E|E].
        - left. apply Qeq_bool_iff, E.
        - right. apply near_sound in E. destruct E as [y [N E]]. exists y. split; [exact N|].
          split; [apply (inside_sound _ _ _ K N)|apply Qeq_bool_iff, E]. }
      destruct Back as [E|[y [N [Y E]]]].
      * destruct (IH x X) as [Z|[y [y' [j [W [L [N Z]]]]]]]; [left; rewrite E; exact Z|right].
        exists y, y', j. split; [exact W|]. split; [lia|]. split; [exact N|rewrite E; exact Z].
      * destruct (IH y Y) as [Z|[u [u' [j [W [L [N' Z]]]]]]]; [left; rewrite E; exact Z|right].
        exists u, u', (S j). split; [econstructor; eassumption|]. split; [lia|]. split; [exact N'|rewrite E; exact Z].
Qed.
End Widths.

Definition up_to_total (I : nat -> Q) (t : nat) : Q := total I (seq 0 (S t)).

Definition rungs_check (q : query) (widths : list (list Q)) (last : nat) (l : levels) : bool :=
  forallb (fun x => forallb (fun r =>
    let I := width widths last x in
    let d := distance q x r in
    match level_at l x r with
    | Some O => Nat.eqb r (answer q x)
    | Some (S n) => negb (Nat.eqb r (answer q x)) &&
        forallb (fun t => negb (Qle_bool d (up_to_total I t))) (seq 0 n) && Qle_bool d (up_to_total I n)
    | None => negb (Nat.eqb r (answer q x)) &&
        forallb (fun t => Qeq_bool (I t) 0) (seq 0 (S last)) && negb (Qle_bool d 0)
    end) (range q)) (datasets q).

Lemma not_le a b : negb (Qle_bool a b) = true -> b < a.
Proof.
  intros H. apply Qnot_le_lt. rewrite <- Qle_bool_iff. destruct (Qle_bool a b); [discriminate|congruence].
Qed.

Lemma rungs_sound q widths last l x r : rungs_check q widths last l = true ->
  (x < size q)%nat -> (r < places q)%nat -> rung q (width widths last x) x r (level_at l x r).
Proof.
  unfold rungs_check. rewrite forallb_forall. intros H X R.
  specialize (H x (proj2 (in_datasets q x) X)). rewrite forallb_forall in H.
  specialize (H r (proj2 (in_range q r) R)). unfold rung, up_to. unfold up_to_total in H.
  destruct (level_at l x r) as [[|n]|].
  - apply Nat.eqb_eq, H.
  - split_check H. apply negb_true_iff, Nat.eqb_neq in H. split; [exact H|].
    rewrite forallb_forall in C0. split.
    + intros t L. rewrite <- total_correct. apply not_le, C0, in_seq. lia.
    + rewrite <- total_correct. apply Qle_bool_iff, C.
  - split_check H. apply negb_true_iff, Nat.eqb_neq in H. split; [exact H|].
    apply not_le in C. rewrite forallb_forall in C0. intros t.
    assert (Z : sum (width widths last x) (seq 0 (S t)) == 0); [|lra].
    rewrite (sum_eq _ (fun _ => 0 * 0)), sum_scale; [lra|].
    intros u _. rewrite Qmult_0_l. destruct (Nat.ltb_spec u last) as [L|L].
    + apply Qeq_bool_iff, C0, in_seq. lia.
    + unfold width. rewrite Nat.min_r by lia. rewrite <- (Nat.min_id last) at 1.
      apply Qeq_bool_iff, C0, in_seq. lia.
Qed.

Definition ladder_check (q : query) (z : Q) (widths : list (list Q)) (last : nat) (l : levels) (m : mechanism) : bool :=
  leveled_check q z l m && widths_check q widths last && rungs_check q widths last l.

Theorem ladder_sound q z widths last l m : ladder_check q z widths last l m = true -> ladder q z m.
Proof.
  unfold ladder_check. intros H. split_check H.
  exists (width widths last), (level_at l). split; [apply leveled_sound, H|]. intros x X. split.
  - intros t. apply widths_sound; assumption.
  - intros r R. apply rungs_sound; assumption.
Qed.
