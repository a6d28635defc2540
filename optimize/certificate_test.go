package optimize_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// checkMechanism fails unless the smallest ε is certified not to exceed eps and
// all rows sum to 1.
func checkMechanism(t *testing.T, m *optimize.Optimal, eps float64) {
	t.Helper()
	loss, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	if _, hi := bounds(loss); !(hi <= eps) {
		t.Errorf("%s: smallest ε up to %v, want at most %v", m.Name(), hi, eps)
	}
	for x := range m.Query().Size() {
		sum := new(big.Rat)
		for r := range m.Query().Range() {
			p, ok := m.Rational(x, r)
			if !ok || p.Sign() < 0 {
				t.Fatalf("%s: p^%d(%d) = %v, %v", m.Name(), x, r, p, ok)
			}
			sum.Add(sum, p)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%s: row %d sums to %v", m.Name(), x, sum)
		}
	}
}

// attained returns what the mechanism attains, from the query and the
// probabilities alone.
func attained(t *testing.T, m *optimize.Optimal, objective optimize.Objective) *big.Rat {
	t.Helper()
	total, worst := new(big.Rat), new(big.Rat)
	q := m.Query()
	for x := range q.Size() {
		sum := new(big.Rat)
		for r := range q.Range() {
			p, _ := m.Rational(x, r)
			d := new(big.Rat).SetFloat64(q.Metric().Distance(q.ValueIndex(x), r))
			sum.Add(sum, d.Mul(d, p))
		}
		total.Add(total, sum)
		if sum.Cmp(worst) > 0 {
			worst = sum
		}
	}
	switch objective {
	case optimize.Worst:
		return worst
	case optimize.Pareto:
		return total
	}
	return total.Quo(total, big.NewRat(int64(q.Size()), 1))
}

// checkCertificate recomputes the dual bound from the certificate in rational
// arithmetic, with e^ε or, where that is 0, with both ends of a rational
// enclosure, and fails unless it reaches the lower end of the optimum.
func checkCertificate(t *testing.T, q *query.Query, m *optimize.Optimal, w *big.Rat, than ...*big.Rat) {
	t.Helper()
	ends := []*big.Rat{w}
	if w.Sign() == 0 {
		eps, _ := m.Guarantee()
		e := math.Exp(eps.Value())
		ends = []*big.Rat{
			new(big.Rat).SetFloat64(math.Nextafter(e, 0)), new(big.Rat).SetFloat64(math.Nextafter(e, math.Inf(1))),
		}
	}
	c := m.Certificate()
	var least *big.Rat
	for _, w := range ends { // the bound is concave in w: its ends enclose it from below
		rest := make(map[[2]int]*big.Rat)
		for x := range q.Size() {
			rate := new(big.Rat).Set(c.Weight[x])
			if c.Bound != nil {
				rate.Add(rate, c.Bound[x])
			}
			for _, r := range c.Values {
				d := q.Metric().Rational(q.ValueIndex(x), r)
				d.Quo(d, c.Unit)
				rest[[2]int{x, r}] = d.Mul(d, rate)
			}
		}
		for key, price := range c.Up {
			x, y, r := key[0], key[1], key[2]
			if price.Sign() < 0 {
				t.Fatalf("price %v is negative", key)
			}
			if !slices.Contains(q.Space().Neighbors(x), int32(y)) {
				t.Fatalf("price %v is of no constraint", key)
			}
			rest[[2]int{x, r}].Add(rest[[2]int{x, r}], price)
			rest[[2]int{y, r}].Sub(rest[[2]int{y, r}], new(big.Rat).Mul(w, price))
		}
		bound := new(big.Rat)
		for x := range q.Size() {
			var low *big.Rat
			for _, r := range c.Values {
				if v := rest[[2]int{x, r}]; low == nil || v.Cmp(low) < 0 {
					low = v
				}
			}
			bound.Add(bound, low)
			if than != nil {
				bound.Sub(bound, new(big.Rat).Mul(c.Bound[x], than[x]))
			}
		}
		dearest := make(map[[2]int]*big.Rat)
		for key, price := range c.Up {
			if at := [2]int{key[0], key[1]}; dearest[at] == nil || price.Cmp(dearest[at]) > 0 {
				dearest[at] = price
			}
		}
		for _, price := range dearest {
			bound.Sub(bound, new(big.Rat).Mul(c.Delta, price))
		}
		bound.Mul(bound, c.Unit)
		if least == nil || bound.Cmp(least) < 0 {
			least = bound
		}
	}
	lo, _ := bounds(m.Optimum())
	got, _ := least.Float64()
	if e, ok := m.Optimum().(evidence.Exact); ok {
		if least.Cmp(e.Value) != 0 {
			t.Errorf("%s: the certificate proves %v, not %v", m.Name(), least, e.Value)
		}
	} else if got < lo-1e-12*math.Abs(lo) {
		t.Errorf("%s: the certificate proves %v, not %v", m.Name(), got, lo)
	}
}
