package evidencetest

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// fakeNumber is a number with arbitrary value and bounds.
type fakeNumber struct {
	evidence.Number
	lo, value, hi float64
}

func (l fakeNumber) Float() float64           { return l.value }
func (l fakeNumber) Bounds() (lo, hi float64) { return l.lo, l.hi }

func TestFault(t *testing.T) {
	half := evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("s")}
	ln2, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	for _, n := range []evidence.Number{
		half, evidence.Exact{Value: big.NewRat(1, 3)}, evidence.ExactLog{Argument: big.NewRat(3, 2)}, evidence.ExactLog{Argument: big.NewRat(1, 1)},
		ln2.Number(), evidence.Epsilon{}.Number(), evidence.Claimed{Value: 1, Provenance: evidence.From("s")}, evidence.Certified{Lo: 1, Hi: 2, Provenance: evidence.Provenance{Method: "m"}},
		evidence.Certified{Lo: 1, Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From("s")}, evidence.Estimated{Value: 1, Lo: 0, Hi: 2, Confidence: .9},
	} {
		if what := Fault(n); what != "" {
			t.Errorf("%v: %s", n, what)
		}
	}
	for want, n := range map[string]evidence.Number{
		"the value lies outside its ends":           fakeNumber{half, 0, 2, 1},
		"NaN":                                       fakeNumber{half, 0, .5, math.NaN()},
		"infinite, and no number":                   fakeNumber{half, math.Inf(1), math.Inf(1), math.Inf(1)},
		"an estimate of confidence 1":               evidence.Estimated{Value: 1, Lo: 0, Hi: 2, Confidence: 1},
		"ends that enclose nothing":                 evidence.Certified{Lo: 2, Hi: 1},
		"no number":                                 nil,
		"exact without a rational":                  evidence.Exact{},
		"exact without the argument of a logarithm": evidence.ExactLog{Argument: new(big.Rat)},
	} {
		if got := Fault(n); got != want {
			t.Errorf("%T: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[evidence.Number]string{
		evidence.Claimed{Value: 1}: "a claim without a source", evidence.Certified{Lo: 1, Hi: 2}: "certified without a method",
		evidence.Claimed{Provenance: evidence.From("s")}: "", evidence.Certified{Provenance: evidence.From("s")}: "", evidence.Certified{Provenance: evidence.Provenance{Method: "m"}}: "",
	} {
		if got := Sourceless(n); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
	q := big.NewRat(1, 3)
	third := 1. / 3
	for _, c := range []struct {
		lo, v, hi float64
		fits      bool
	}{
		{third, third, math.Nextafter(third, 1), true}, {third, math.Nextafter(third, 1), math.Nextafter(third, 1), false},
		{math.Nextafter(third, 0), third, third, false}, {math.Nextafter(third, 0), third, math.Nextafter(third, 1), false},
	} {
		if got := exactly(c.lo, c.v, c.hi, q); (got == "") != c.fits {
			t.Errorf("1/3 in [%v, %v], value %v: %q", c.lo, c.hi, c.v, got)
		}
	}
	log := ln2.Enclosure()
	for _, c := range []struct {
		lo, v, hi float64
		fits      bool
	}{
		{math.Ln2, math.Ln2, math.Nextafter(math.Ln2, 1), true}, {math.Nextafter(math.Ln2, 0), math.Ln2, math.Ln2, false},
		{math.Ln2, math.Nextafter(math.Ln2, 1), math.Nextafter(math.Ln2, 1), false}, {0, math.Ln2, 1, false}, {.7, .7, .7, false},
	} {
		if got := logarithm(c.lo, c.v, c.hi, log); (got == "") != c.fits {
			t.Errorf("ln 2 in [%v, %v], value %v: %q", c.lo, c.hi, c.v, got)
		}
	}
}
