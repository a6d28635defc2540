package audit

import (
	"fmt"
	"strings"

	"dpworkbench/evidence"
)

// Result is what an audit found.
type Result struct {
	Verdict evidence.Verdict
	Scope   string // for which neighbors the verdict holds
	Remark  string // a note for the reader, or ""
	Claim   Claim
	// Epsilon is the smallest ε at the claimed δ over the neighbors. It is exact or certified for a table. For samples it
	// is a lower bound with infinite Hi.
	Epsilon evidence.Number
	// Delta is the smallest δ at the claimed ε. For samples it is a lower bound.
	Delta   evidence.Number
	Witness *Witness // nil if Epsilon's lower end is 0
}

// Witness shows the origin of Epsilon: the event E and the neighbors First and Second with P = Pr[E] at First, Q =
// Pr[E] at Second and Epsilon = ln((P − δ)/Q).
type Witness struct {
	First, Second string
	Event         Event
	P, Q          evidence.Number
	Script        string // a line of script that shows the same Epsilon
}

// Event is a set of outputs: those listed or, if Bound is not "", those on one side of a number. If Feature is not "",
// the set consists of the outputs whose feature is in the set.
type Event struct {
	Feature string // such as "item 2"
	Outputs []string
	Bound   string // "<= 2.5" or ">= 2.5"
}

// String formats the whole result.
func (r *Result) String() string {
	var b strings.Builder
	claimed := "epsilon " + r.Claim.Epsilon.String()
	if !r.Claim.Delta.IsZero() {
		claimed += fmt.Sprintf(", delta %s", evidence.FormatFloat(r.Claim.Delta.Value(), -1))
	}
	fmt.Fprintf(&b, "%s: claimed %s (%s)", r.Verdict, claimed, r.Scope)
	if r.Remark != "" {
		b.WriteString("\n  remark: " + r.Remark)
	}
	bound := ""
	if r.Epsilon.Kind() == evidence.KindEstimated {
		bound = " at least"
	}
	fmt.Fprintf(&b, "\n  epsilon%s: %s", bound, r.Epsilon)
	fmt.Fprintf(&b, "\n  delta at the claimed epsilon%s: %s", bound, r.Delta)
	if w := r.Witness; w != nil {
		fmt.Fprintf(&b, "\n  event: %s, %s at %s, %s at %s", w.Event, evidence.Brief(w.P), w.First, evidence.Brief(w.Q), w.Second)
		b.WriteString("\n  replay: " + w.Script)
	}
	return b.String()
}
