package audit

import "dpworkbench/evidence"

// Result is what an audit found.
type Result struct {
	Verdict evidence.Verdict
	Scope   string // how far the verdict goes
	Remark  string // what the reader should know, or ""
	Claim   Claim
	// Epsilon is the smallest ε at the claimed δ over the neighbors: exact or
	// certified for a table; for samples a lower bound, Hi being infinite.
	Epsilon evidence.Number
	// Delta is the smallest δ at the claimed ε, likewise.
	Delta   evidence.Number
	Witness *Witness // nil where Epsilon's lower end is 0
}

// Witness is where Epsilon comes from: the event E and the neighbors First and
// Second with P = Pr[E] at First, Q = Pr[E] at Second and
// Epsilon = ln((P − δ)/Q).
type Witness struct {
	First, Second string
	Event         Event
	P, Q          evidence.Number
	Script        string // a line of script that shows the same Epsilon
}

// Event is a set of outputs: those listed, or, where Bound is not "", those on
// one side of a number.
type Event struct {
	Outputs []string
	Bound   string // "<= 2.5" or ">= 2.5"
}
