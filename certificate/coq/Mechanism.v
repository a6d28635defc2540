(* What the certificates state: finite queries, mechanisms, privacy, distortion,
   the optimum. Nothing here is computed with; Checks.v and Layers.v prove that
   what they compute implies it. All numbers are rational, w stands for e^ε. *)

From Coq Require Import List QArith Qabs Qminmax.
Import ListNotations.
Open Scope Q_scope.

(* The sum of f over a list. *)
Fixpoint sum {A} (f : A -> Q) (l : list A) : Q :=
  match l with
  | [] => 0
  | a :: l => f a + sum f l
  end.

(* A query answers datasets 0, 1, …, size - 1. Its range lists the possible outputs in
   places 0, 1, …, places - 1. The place of f(x) is `answer x`, and `metric i j` is the
   distance of the values in places i and j. Neighbors are listed once, as {x, y}. *)
Record query := Query {
  size : nat;
  places : nat;
  neighbors : list (nat * nat);
  answer : nat -> nat;
  metric : nat -> nat -> Q
}.

Definition datasets (q : query) : list nat := seq 0 (size q).
Definition range (q : query) : list nat := seq 0 (places q).

Definition neighboring (q : query) (x y : nat) : Prop :=
  In (x, y) (neighbors q) \/ In (y, x) (neighbors q).

(* The first place of a value in a list. *)
Fixpoint place (values : list Q) (v : Q) : nat :=
  match values with
  | [] => 0
  | a :: rest => if Qeq_bool a v then 0 else S (place rest v)
  end.

(* The query with the given numbers f(0), f(1), … and range, and the distance |a - b|. *)
Definition numeric (values range : list Q) (pairs : list (nat * nat)) : query :=
  Query (length values) (length range) pairs
    (fun x => place range (nth x values 0))
    (fun i j => Qabs (nth i range 0 - nth j range 0)).

(* The query with the given places of the answers and matrix of distances. *)
Definition named (answers : list nat) (distances : list (list Q)) (pairs : list (nat * nat)) : query :=
  Query (length answers) (length distances) pairs
    (fun x => nth x answers 0%nat)
    (fun i j => nth j (nth i distances []) 0).

(* A mechanism: m x r is the probability of the value in place r at dataset x. *)
Definition mechanism := nat -> nat -> Q.

(* The mechanism with the given rows of probabilities, one row for each dataset. *)
Definition table (rows : list (list Q)) : mechanism :=
  fun x r => nth r (nth x rows []) 0.

(* Numerators over one denominator: row 3 [1; 2] is 1/3, 2/3. *)
Definition row (denominator : positive) (numerators : list Z) : list Q :=
  map (fun n => n # denominator) numerators.

(* The probability of the event S at dataset x. *)
Definition prob (q : query) (m : mechanism) (x : nat) (S : nat -> bool) : Q :=
  sum (m x) (filter S (range q)).

(* At every dataset the probabilities are a law. *)
Definition law (q : query) (m : mechanism) : Prop :=
  forall x, (x < size q)%nat ->
    (forall r, (r < places q)%nat -> 0 <= m x r) /\ sum (m x) (range q) == 1.

(* Differential privacy with w = e^ε: all events, neighbors in both orders. *)
Definition dp (q : query) (w : Q) (m : mechanism) : Prop :=
  forall x y S, neighboring q x y -> prob q m x S <= w * prob q m y S.

(* (ε, δ)-differential privacy. *)
Definition dp_delta (q : query) (w d : Q) (m : mechanism) : Prop :=
  forall x y S, neighboring q x y -> prob q m x S <= w * prob q m y S + d.

(* w = e^ε for the least ε >= 0 at which the mechanism is differentially private. *)
Definition least_w (q : query) (w : Q) (m : mechanism) : Prop :=
  1 <= w /\ dp q w m /\ forall w', 1 <= w' -> dp q w' m -> w <= w'.

(* d is the least δ >= 0 at which the mechanism is (ε, δ)-private for w = e^ε. *)
Definition least_delta (q : query) (w d : Q) (m : mechanism) : Prop :=
  0 <= d /\ dp_delta q w d m /\ forall d', 0 <= d' -> dp_delta q w d' m -> d <= d'.

(* How far the value in place r is from f(x), and how far the output is on average. *)
Definition distance (q : query) (x r : nat) : Q := metric q (answer q x) r.

Definition distortion (q : query) (m : mechanism) (x : nat) : Q :=
  sum (fun r => m x r * distance q x r) (range q).

(* The mean distortion under a prior, and the largest distortion of a dataset. *)
Definition mean (q : query) (prior : nat -> Q) (m : mechanism) : Q :=
  sum (fun x => prior x * distortion q m x) (datasets q).

Definition worst (q : query) (m : mechanism) : Q :=
  fold_right Qmax 0 (map (distortion q m) (datasets q)).

Definition uniform (q : query) : nat -> Q := fun _ => 1 # Pos.of_nat (size q).
Definition listed (prior : list Q) : nat -> Q := fun x => nth x prior 0.

(* v is the least cost of all mechanisms that are private. *)
Definition optimum (q : query) (private : mechanism -> Prop) (cost : mechanism -> Q) (v : Q) : Prop :=
  (exists m, law q m /\ private m /\ cost m == v) /\
  forall m, law q m -> private m -> v <= cost m.

(* k steps between neighbors lead from x to y. *)
Inductive path (q : query) : nat -> nat -> nat -> Prop :=
| here x : path q x x 0
| step x y z k : neighboring q x y -> path q y z k -> path q x z (S k).

(* With z = e^(-u), a value at level k has weight z^k; a value without a level is never output. *)
Definition weigh (z : Q) (level : option nat) : Q :=
  match level with
  | Some k => z ^ Z.of_nat k
  | None => 0
  end.

(* The probability of r at x is its weight divided by the weight of the whole range. *)
Definition leveled (q : query) (z : Q) (level : nat -> nat -> option nat) (m : mechanism) : Prop :=
  forall x r, (x < size q)%nat -> (r < places q)%nat ->
    0 < sum (fun s => weigh z (level x s)) (range q) /\
    m x r == weigh z (level x r) / sum (fun s => weigh z (level x s)) (range q).

Definition is_least (reached : nat -> Prop) (level : option nat) : Prop :=
  match level with
  | Some k => reached k /\ forall j, reached j -> (k <= j)%nat
  | None => forall j, ~ reached j
  end.

(* Layered mechanisms, decay u (Wu, Xia and He, Definition 13): an initial value (y, i, r)
   puts r into layer i of y, and into layer i + j of every dataset j steps away from y. *)
Definition layered (q : query) (z : Q) (initial : list (nat * nat * nat)) (m : mechanism) : Prop :=
  exists level, leveled q z level m /\
  forall x r, (x < size q)%nat -> (r < places q)%nat ->
    is_least (fun k => exists y i j, In (y, i, r) initial /\ path q x y j /\ k = (i + j)%nat) (level x r).

(* The purest mechanism: f(x) alone is initial, in layer 0 of x. *)
Definition purest (q : query) (z : Q) : mechanism -> Prop :=
  layered q z (map (fun x => (x, 0%nat, answer q x)) (datasets q)).

(* I is the largest distance between the answers of neighbors y, y' where y is
   within t steps of x, or 0 if there are no such neighbors. *)
Definition widest (q : query) (x t : nat) (I : Q) : Prop :=
  0 <= I /\
  (forall y y' j, path q x y j -> (j <= t)%nat -> neighboring q y y' -> metric q (answer q y) (answer q y') <= I) /\
  (I == 0 \/ exists y y' j, path q x y j /\ (j <= t)%nat /\ neighboring q y y' /\ I == metric q (answer q y) (answer q y')).

(* I_0 + … + I_t *)
Definition up_to (I : nat -> Q) (t : nat) : Q := sum I (seq 0 (S t)).

(* The rung of f(x) is 0. The rung of another r is 1 + the number of t with I_0 + … + I_t < d(f(x), r). *)
Definition rung (q : query) (I : nat -> Q) (x r : nat) (level : option nat) : Prop :=
  match level with
  | Some O => r = answer q x
  | Some (S n) => r <> answer q x /\ (forall t, (t < n)%nat -> up_to I t < distance q x r) /\ distance q x r <= up_to I n
  | None => r <> answer q x /\ forall t, up_to I t < distance q x r
  end.

(* The Ladder mechanism, ε = 2u (Zhang et al., SIGMOD 2015, Algorithm 1). *)
Definition ladder (q : query) (z : Q) (m : mechanism) : Prop :=
  exists I level, leveled q z level m /\
  forall x, (x < size q)%nat ->
    (forall t, widest q x t (I x t)) /\
    forall r, (r < places q)%nat -> rung q (I x) x r (level x r).
