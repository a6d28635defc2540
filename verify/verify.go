// Package verify recomputes printed results of small cases by brute force from definitions alone. It visits datasets,
// neighbors, outputs and states one by one, in float64, and uses big floats for laws of signs. It shares no code with
// the computations that it checks, except for the description of the case.
package verify

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// tolerance is the largest relative difference between a printed and a recomputed number, for rounding in float64
// sums.
const tolerance = 1e-9

// Part is the result of checking one property of a case.
type Part struct {
	Property string
	Cases    int64 // number of comparisons, or of cases over which a maximum was taken
	Verdict  evidence.Verdict
	// Line shows the first disagreement: the part of a script line after the object's name. It is "" if there is none.
	Line string
}

// Report is the result of recomputing a case.
type Report struct{ Parts []*Part }

// Cases returns the sum of the parts' Cases.
func (r *Report) Cases() (n int64) {
	for _, p := range r.Parts {
		n += p.Cases
	}
	return n
}

// Verdict returns Confirmed if every part is confirmed, Refuted if a part is refuted, and Undecided otherwise.
func (r *Report) Verdict() evidence.Verdict {
	out := evidence.Confirmed
	for _, p := range r.Parts {
		if p.Verdict == evidence.Refuted || p.Verdict != evidence.Confirmed && out == evidence.Confirmed {
			out = p.Verdict
		}
	}
	return out
}

// Witness returns the first disagreement as a script line about the object with the given name, or "" if there is none.
func (r *Report) Witness(name string) string {
	for _, p := range r.Parts {
		if p.Line != "" {
			return name + p.Line
		}
	}
	return ""
}

func (r *Report) part(property string) *Part {
	p := &Part{Property: property, Verdict: evidence.Confirmed}
	r.Parts = append(r.Parts, p)
	return p
}

// named returns the part of a property, and creates it if necessary.
func (r *Report) named(property string) *Part {
	for _, p := range r.Parts {
		if p.Property == property {
			return p
		}
	}
	return r.part(property)
}

// is counts a case, and records a disagreement unless equal is true. The line is a format for args.
func (p *Part) is(equal bool, line string, args ...any) {
	p.Cases++
	if !equal && p.Verdict != evidence.Refuted {
		p.Verdict, p.Line = evidence.Refuted, fmt.Sprintf(line, args...)
	}
}

// number compares a printed number with the recomputed one.
func (p *Part) number(printed evidence.Number, found float64, line string, args ...any) {
	lo, hi := printed.Bounds()
	slack := tolerance * math.Abs(found)
	if math.IsInf(found, 0) {
		slack = 0
	}
	p.is(lo <= found+slack && found-slack <= hi, "%s  # prints %s, enumeration gives %.12g", fmt.Sprintf(line, args...), evidence.Brief(printed), found)
}

// close reports whether two floats agree up to the tolerance.
func close(a, b float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}
