package certificate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// CoqFile is a theorem about a finite mechanism in terms of coq/Mechanism.v, and its proof by the checks in the same
// folder. Names of that library are fully qualified, so that no definition can shadow them; theorem.py accepts only
// this form. Laws and w = e^ε are rational.
type CoqFile struct {
	Version      string // version of the program
	Call, Script string // origin of the number; "" if unknown

	says  string       // the theorem in words
	query *coqQuery    // query of the theorem
	parts bytes.Buffer // definitions besides the query
	goals []coqGoal    // the theorem is their conjunction
}

// coqGoal is a statement, and the tactic that reduces it to a computed check.
type coqGoal struct{ statement, by string }

// Coq returns the Coq file of a number. It returns an error wrapping evidence.ErrParameter where Of does. It also
// returns one if the statement has no Coq file: a probability, e^ε or the number itself is not known to be rational, or
// the case is too large.
func Coq(ctx context.Context, n evidence.Number) (*CoqFile, error) {
	s, err := statementOf(ctx, n)
	if err != nil {
		return nil, err
	}
	var f *CoqFile
	switch s := s.(type) {
	case *mechanism.EpsilonStatement:
		f, err = coqEpsilon(ctx, s.Of)
	case *mechanism.DeltaStatement:
		f, err = coqDelta(ctx, s.Of, s.At)
	case *mechanism.DistortionStatement:
		f, err = coqDistortion(ctx, s)
	case *optimize.Optimal:
		f, err = coqOptimum(ctx, s)
	default:
		return nil, refusal(n, s.Says()+" has no Coq file")
	}
	if err != nil {
		return nil, err
	}
	f.Call = n.Citation().Call
	return f, nil
}

// define adds a definition to the file.
func (f *CoqFile) define(what, format string, args ...any) {
	fmt.Fprintf(&f.parts, "Definition %s :=\n  %s.\n\n", what, fmt.Sprintf(format, args...))
}

// prove adds a statement to the theorem, with its tactic.
func (f *CoqFile) prove(statement, by string, args ...any) {
	f.goals = append(f.goals, coqGoal{fmt.Sprintf(statement, args...), by})
}

// Write writes the file. It returns an error wrapping evidence.ErrParameter for the zero CoqFile, which has no
// statement.
func (f *CoqFile) Write(w io.Writer) error {
	if f.query == nil {
		return parameter.Errorf("the CoqFile is empty, want one that Coq or CoqClaim returned")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "(* %s\n", coqComment(f.says))
	if made := strings.Trim(f.Call+", "+f.Script, ", "); made != "" {
		fmt.Fprintf(&b, "   It was asked by %s.\n", coqComment(made))
	}
	for _, line := range f.query.about {
		fmt.Fprintf(&b, "   %s\n", coqComment(line))
	}
	if f.Version != "" {
		fmt.Fprintf(&b, "   Written by version %s.\n", coqComment(f.Version))
	}
	b.WriteString(coqHead)
	fmt.Fprintf(&b, "Definition q : Workbench.Mechanism.query :=\n  %s.\n\n", f.query.text)
	b.Write(f.parts.Bytes())
	statements := lists.Of(len(f.goals), func(i int) string { return f.goals[i].statement })
	fmt.Fprintf(&b, "Theorem statement : %s.\nProof.\n", strings.Join(statements, " /\\ "))
	for i, g := range f.goals {
		if i < len(f.goals)-1 {
			fmt.Fprintf(&b, "  split; [%s; vm_compute; reflexivity|].\n", g.by)
		} else {
			fmt.Fprintf(&b, "  %s; vm_compute; reflexivity.\n", g.by)
		}
	}
	b.WriteString("Qed.\n\nPrint Assumptions statement.\n")
	_, err := w.Write(b.Bytes())
	return err
}

const coqHead = `
   Mechanism.v says what the words of the theorem mean. To check it, run certificate/coq/check
   with the name of this file: it refuses whatever else a file may define, has Coq prove the
   theorem, and prints what is proved. It does not check this comment. *)

From Coq Require Import List QArith.
From Workbench Require Mechanism Checks Layers.
Import ListNotations.
Open Scope Q_scope.

`
