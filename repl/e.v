(* The smallest ε of purest(decay=ln(2)) is the logarithm of 2.
   It was asked by purest(finite_query(['sqlite:///a.db?password=xxxxx.
   The query is finite query.
   The places of its range are 0: sqlite:///a.db?password=xxxxx
   Written by version devel.

   Mechanism.v says what the words of the theorem mean. To check it, run certificate/coq/check
   with the name of this file: it refuses whatever else a file may define, has Coq prove the
   theorem, and prints what is proved. It does not check this comment. *)

From Coq Require Import List QArith.
From Workbench Require Mechanism Checks Layers.
Import ListNotations.
Open Scope Q_scope.

Definition q : Workbench.Mechanism.query :=
  Workbench.Mechanism.named
   [0; 1]%nat
   [[0; 1];
    [1; 0]]
   [(0, 1)]%nat.

Definition m : Workbench.Mechanism.mechanism :=
  Workbench.Mechanism.table [
  Workbench.Mechanism.row 3 [2; 1];
  Workbench.Mechanism.row 3 [1; 2]]%Z.

Definition levels_of_m : Workbench.Layers.levels :=
  Workbench.Layers.all_reached [
  [0; 1];
  [1; 0]]%nat.

Theorem statement : Workbench.Mechanism.law q m /\ Workbench.Mechanism.purest q (1 # 2) m /\ Workbench.Mechanism.least_w q 2 m.
Proof.
  split; [apply Workbench.Checks.law_sound; vm_compute; reflexivity|].
  split; [apply Workbench.Layers.purest_sound with (l := levels_of_m); vm_compute; reflexivity|].
  apply Workbench.Checks.least_w_sound with (x := 0%nat) (y := 1%nat) (r := 0%nat); vm_compute; reflexivity.
Qed.

Print Assumptions statement.
