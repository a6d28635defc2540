// Package verify recomputes what is printed of small cases by the plainest code there is: datasets, neighbors, outputs and states are
// visited one by one, in float64, laws of signs in big floats, from definitions alone. It shares nothing with the routes that it checks but the case itself.
package verify

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// tolerance is how far, relatively, a printed number may lie from the recomputed one: what float64 sums may lose.
const tolerance = 1e-9

// Part is one property of the case.
type Part struct {
	Property string
	Cases    int64 // numbers that were compared, or cases whose largest was
	Verdict  evidence.Verdict
	// Line is the first disagreement, as what follows the name of the thing in a line of script; "" for none.
	Line string
}

// Report is what recomputing a case says.
type Report struct{ Parts []*Part }

// Cases returns how many numbers were compared.
func (r *Report) Cases() (n int64) {
	for _, p := range r.Parts {
		n += p.Cases
	}
	return n
}

// Verdict is confirmed where every part is, and refuted where one part is.
func (r *Report) Verdict() evidence.Verdict {
	out := evidence.Confirmed
	for _, p := range r.Parts {
		if p.Verdict == evidence.Refuted || p.Verdict != evidence.Confirmed && out == evidence.Confirmed {
			out = p.Verdict
		}
	}
	return out
}

// Witness returns the first disagreement as a line of script about the thing of that name, "" where there is none.
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

// named returns the part of a property, made once.
func (r *Report) named(property string) *Part {
	for _, p := range r.Parts {
		if p.Property == property {
			return p
		}
	}
	return r.part(property)
}

// is compares two things that must be equal. The line is formatted with args.
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

// close reports whether two floats agree.
func close(a, b float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}
