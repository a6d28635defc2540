package query_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Distances of random numbers match rational arithmetic: they are equal if the metric is exact, and within Enclose
// otherwise.
func TestDistancesMatchRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	number := func() *big.Rat {
		q := big.NewRat(rng.Int64N(2000)-1000, 1+rng.Int64N(3))
		switch rng.IntN(6) {
		case 0:
			q.Add(q, big.NewRat(1<<53, 1))
		case 1:
			q.Mul(q, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(rng.Int64N(40)), nil)))
		case 2:
			q.SetFloat64(rng.NormFloat64())
		case 3:
			q.Add(q, big.NewRat(1, 1<<62))
		}
		return q
	}
	exact := 0
	for range 400 {
		n := 2 + rng.IntN(5)
		values := make([]query.Value, n)
		for x := range values {
			values[x] = query.RationalValue(number())
		}
		q := must.For(query.New("f", line(t, n), values, nil, query.ValueMetric{}))(t)
		if q.Metric().IsExact() {
			exact++
		}
		largest := new(big.Rat)
		for i, a := range q.Range() {
			for j, b := range q.Range() {
				p, _ := query.RationalOf(a)
				r, _ := query.RationalOf(b)
				want := new(big.Rat).Sub(p, r)
				want.Abs(want)
				if got := q.Metric().Rational(i, j); got.Cmp(want) != 0 {
					t.Fatalf("d(%v, %v) = %v, want %v", a, b, got, want)
				}
				if near, _ := want.Float64(); q.Metric().Distance(i, j) != near {
					t.Fatalf("d(%v, %v) rounds to %v, want %v", a, b, q.Metric().Distance(i, j), near)
				}
				lo, hi := q.Metric().Enclose(q.Metric().Steps(i, j)).Bounds()
				if new(big.Rat).SetFloat64(lo).Cmp(want) > 0 || new(big.Rat).SetFloat64(hi).Cmp(want) < 0 || hi > lo*(1+0x1p-49) {
					t.Fatalf("d(%v, %v) in [%v, %v], want %v", a, b, lo, hi, want.FloatString(40))
				}
			}
		}
		for x := 1; x < n; x++ {
			if d := q.Metric().Rational(q.ValueIndex(x-1), q.ValueIndex(x)); d.Cmp(largest) > 0 {
				largest = d
			}
		}
		if got := q.Sensitivity().(evidence.Exact); got.Value.Cmp(largest) != 0 {
			t.Fatalf("sensitivity %v, want %v", got.Value, largest)
		}
		radius := q.Metric().Rational(rng.IntN(len(q.Range())), rng.IntN(len(q.Range())))
		for x := range n {
			var want []int
			for r := range q.Range() {
				if q.Metric().Rational(q.ValueIndex(x), r).Cmp(radius) <= 0 {
					want = append(want, r)
				}
			}
			if got := q.RationalBall(x, radius); !slices.Equal(got, want) {
				t.Fatalf("ball of radius %v around %v is %v, want %v out of %v", radius, q.Value(x), got, want, q.Range())
			}
		}
	}
	if exact < 50 || exact > 350 {
		t.Errorf("%d of 400 queries have a common unit, want both kinds", exact)
	}
}

// Distinct names have distance 1.
func TestDiscreteMetric(t *testing.T) {
	names := []query.Value{query.Name("a"), query.Name("b"), query.Name("c")}
	m := must.For(query.New("names", must.For(query.NewPathSpace(3, nil))(t), names, nil, query.ValueMetric{Discrete: true}))(t).Metric()
	for i := range 3 {
		for j := range 3 {
			want := int64(1)
			if i == j {
				want = 0
			}
			if m.Steps(i, j) != float64(want) || m.Rational(i, j).Cmp(big.NewRat(want, 1)) != 0 {
				t.Errorf("the distance of %d and %d is %v", i, j, m.Steps(i, j))
			}
		}
	}
}
