package certificate_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// pairAt returns the ordered neighbors with the largest δ at ε or, if infinite is set, with the largest infinity mass.
// It also returns all pairs whose δ at ε is below the argument below.
func pairAt(laws [][]*big.Rat, eps float64, infinite bool, below float64) (worst [2]int, less map[[2]int]bool) {
	less = map[[2]int]bool{}
	largest := -1.0
	for x := range laws {
		for _, y := range []int{x - 1, x + 1} { // neighbors on a path
			if y < 0 || y == len(laws) {
				continue
			}
			delta := 0.0
			for r, p := range laws[x] {
				a, _ := p.Float64()
				b, _ := laws[y][r].Float64()
				if !infinite {
					b *= math.Exp(eps)
				} else if b > 0 {
					continue
				}
				delta += math.Max(0, a-b)
			}
			if delta > largest {
				largest, worst = delta, [2]int{x, y}
			}
			if delta < below {
				less[[2]int{x, y}] = true
			}
		}
	}
	return worst, less
}

// Each end of an interval has its own proof. The lower end needs neighbors with the largest δ there, or the largest
// infinity mass. The upper end needs every pair whose δ there is small. Trivial ends, 0 and infinity, need none.
func TestBothEndsOfCompositions(t *testing.T) {
	s := newSmallCase(t)
	laws := [][]*big.Rat{row(9, 1, 0), row(2, 8, 0), row(2, 7, 1)}
	c, err := privacy.Compose(t.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(table(s.q, laws...)))}, []int{2})
	s.fail(err)
	for x, law := range laws { // two uses
		var product []*big.Rat
		for _, p := range law {
			for _, q := range law {
				product = append(product, new(big.Rat).Mul(p, q))
			}
		}
		laws[x] = product
	}
	const delta = 0.05
	n, err := c.Epsilon(t.Context(), evidencetest.Delta(delta))
	s.fail(err)
	at, err := c.Delta(t.Context(), s.eps(1))
	s.fail(err)
	for _, k := range []struct {
		of      evidence.Number
		lo, hi  float64
		at      float64 // ε of the expected witness
		witness bool
		upper   float64 // ε at which δ is compared with most
		most    float64
	}{
		{n, 0, 5, 0, false, 5, delta},
		{n, 0, math.Inf(1), 0, false, math.Inf(1), 0},
		{n, 0.1, 5, 0.1, true, 5, delta},
		{n, 3, 4, 3, true, 4, delta},
		{n, 0.1, math.Inf(1), 0.1, true, math.Inf(1), 0},
		{n, math.Inf(1), math.Inf(1), math.Inf(1), true, math.Inf(1), 0},
		{at, 0, 0.5, 1, false, 1, 0.5},
		{at, 0.25, 0.99, 1, true, 1, 0.99},
		{at, 0, 0, 1, false, 1, 0},
	} {
		what := fmt.Sprintf("%s in [%g, %g]", k.of.Citation().Statement.Says(), k.lo, k.hi)
		proof := documentOf(certificate.Of(t.Context(), evidence.WithStatement(evidence.Certified{Lo: k.lo, Hi: k.hi}, k.of.Citation().Statement)))(t).proof
		worst, _ := pairAt(laws, k.at, math.IsInf(k.at, 1), 0)
		_, less := pairAt(laws, k.upper, false, k.most)
		witness, given := proof["witness"]
		if given != k.witness || given && fmt.Sprint(witness) != fmt.Sprint(object{"x": worst[0], "y": worst[1]}) {
			t.Errorf("%s: witness %v, want %v: %t", what, witness, worst, k.witness)
		}
		orders, given := proof["orders"].(list)
		if given == math.IsInf(k.hi, 1) {
			t.Errorf("%s: orders %v", what, orders)
		}
		if given && len(orders) != len(less) {
			t.Errorf("%s: orders %v, want one of each of %v", what, orders, less)
		}
		for _, o := range orders {
			if of := o.(list); !less[[2]int{of[0].(int), of[1].(int)}] {
				t.Errorf("%s: an order for %v, whose δ is not small", what, of)
			}
		}
	}
}

// Intervals are written with the lower end first, in the ranges of a decision and in the level of a water-filling.
func TestEnclosuresAreInOrder(t *testing.T) {
	d := *flipped(t)
	d.Spans = d.Spans[:1:1]
	d.Spans[0].From.Lo, d.Spans[0].From.Hi, d.Spans[0].To.Lo, d.Spans[0].To.Hi = big.NewRat(1, 5), big.NewRat(1, 4), big.NewRat(1, 3), big.NewRat(1, 2)
	if got := fmt.Sprint(documentOf(certificate.About(t.Context(), &d))(t).statement["fails"]); got != "[[1/5 1/4 1/3 1/2]]" {
		t.Errorf("ranges %s", got)
	}
}
