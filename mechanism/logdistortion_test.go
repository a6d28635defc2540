package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// defined pairs a mechanism with its weights computed from the definition.
type defined struct {
	mechanism.Mechanism
	weights [][]interval.Interval
}

// distortion returns P^x by definition, in intervals.
func (d defined) distortion(x int) interval.Interval {
	q, over, under := d.Query(), interval.Int(0), interval.Int(0)
	for r, w := range d.weights[x] {
		over = over.Add(w.Mul(interval.Rat(q.Metric().Rational(q.ValueIndex(x), r))))
		under = under.Add(w)
	}
	return over.Quo(under)
}

// everyKind returns mechanisms for the values 0…n − 1 on a path: random layers, noise, exponential, tables, and
// mechanisms that never err.
func everyKind(t *testing.T, rng *rand.Rand, n int, e evidence.Epsilon) []defined {
	t.Helper()
	ctx, q := context.Background(), pathQuery(t, n)
	power := func(num, den int64) interval.Interval { // e^{−ε·num/den}
		return e.Enclosure().Mul(interval.Rat(big.NewRat(-num, den))).Exp()
	}
	half, one := interval.Rat(big.NewRat(1, 2)), interval.Int(1)
	of := func(m mechanism.Mechanism, weight func(x, r int) interval.Interval) defined {
		d := defined{m, make([][]interval.Interval, n)}
		for x := range n {
			for r := range n {
				d.weights[x] = append(d.weights[x], weight(x, r))
			}
		}
		return d
	}
	away := func(x, r int) int64 { return int64(max(x-r, r-x)) }
	reached := rng.Perm(n)
	table, ladder, alone := make([]int32, n*n), make([]int32, n*n), make([]int32, n*n)
	for i := range table {
		table[i], ladder[i] = 3+rng.Int32N(6), int32(away(i/n, i%n))
		if reached[i%n] == 0 && n > 2 {
			table[i] = query.Unreached
		}
		if i/n != i%n {
			alone[i] = query.Unreached
		}
	}
	rows, sure := make([][]*big.Rat, n), make([][]*big.Rat, n)
	for x := range n {
		w, sum := make([]int64, n), int64(0)
		for r := range w {
			w[r] = 1 + rng.Int64N(9)
			sum += w[r]
		}
		sure[x] = make([]*big.Rat, n)
		for r, v := range w {
			rows[x], sure[x][r] = append(rows[x], big.NewRat(v, sum)), new(big.Rat)
		}
		sure[x][x].SetInt64(1)
	}
	layered := func(table []int32) defined {
		m := mechanism.NewLayered(fmt.Sprint(table), must.For(mechanism.NewLayerTable(ctx, q, table))(t), e, evidence.Claimed{})
		return of(m, func(x, r int) interval.Interval {
			if table[x*n+r] == query.Unreached {
				return interval.Int(0)
			}
			return power(int64(table[x*n+r]), 1)
		})
	}
	rational := func(rows [][]*big.Rat) defined {
		return of(must.For(mechanism.NewFinite(ctx, q, rows, nil))(t), func(x, r int) interval.Interval { return interval.Rat(rows[x][r]) })
	}
	hidden := rational(rows)
	hidden.Mechanism = enclosed{hidden.Mechanism}
	return []defined{
		layered(table), layered(ladder), layered(alone), rational(rows), rational(sure), hidden,
		of(build(t, "exponential", q, e), func(x, r int) interval.Interval { return power(away(x, r), 2) }),
		of(build(t, "geometric", q, e), func(x, r int) interval.Interval { // (1 − z)/(1 + z)·zᵏ, at the ends zᵏ/(1 + z)
			if r == 0 || r == n-1 {
				return power(away(x, r), 1)
			}
			return power(away(x, r), 1).Mul(one.Sub(power(1, 1)))
		}),
		of(build(t, "laplace", q, e), func(x, r int) interval.Interval { // the mass of the cell from r − ½ to r + ½
			above := func(k int64) interval.Interval { // the mass above k/2 of noise around 0
				if k < 0 {
					return one.Sub(power(-k, 2).Mul(half))
				}
				return power(k, 2).Mul(half)
			}
			k := 2 * int64(r-x)
			switch r {
			case 0:
				return above(-k - 1)
			case n - 1:
				return above(k - 1)
			}
			return above(k - 1).Sub(above(k + 1))
		}),
	}
}

// Distortions, their logarithms and the logarithms of their ratios match their definitions, for all pairs of kinds.
func TestLogDistortionMatchesDistortion(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 11))
	near := func(got, want interval.Interval, within float64) bool {
		off := got.Sub(want)
		return !interval.Int(0).Less(off.Lower()) && !off.Upper().Less(interval.Int(0)) && off.Upper().Sub(off.Lower()).Less(interval.Float(within))
	}
	for n, units := range map[int][]evidence.Epsilon{
		2: {eps(t, 0.7), ln(t, 3, 1)}, 3: {eps(t, 0.7), eps(t, 0.7).Times(3)}, 4: {eps(t, 0.7), eps(t, 40)}, 5: {ln(t, 3, 1), ln(t, 27, 1).Ratio(1, 2)},
	} {
		var all []defined
		for _, e := range units {
			all = append(all, everyKind(t, rng, n, e)...)
		}
		for x := range n {
			want, errs := make([]interval.Interval, len(all)), make([]bool, len(all)) // ln P
			for i, a := range all {
				p := a.distortion(x)
				log, positive := mechanism.LogDistortion(a.Mechanism, x)
				if sign, _ := p.Sign(); positive != (sign > 0) {
					t.Fatalf("%s, dataset %d: the distortion is %v, reported positive: %t", a.Name(), x, p, positive)
				}
				if lo, hi := mechanism.Distortion(a.Mechanism, x).Bounds(); lo > p.Mid() || hi < p.Mid() || hi-lo > 0x1p-50*hi {
					t.Errorf("%s, dataset %d: distortion in [%v, %v], want %v", a.Name(), x, lo, hi, p)
				}
				if rough := must.For(mechanism.Distortions(t.Context(), a.Mechanism))(t)[x]; math.Abs(rough-p.Mid()) > 1e-13*p.Mid() {
					t.Errorf("%s, dataset %d: distortion %v in float64, want %v", a.Name(), x, rough, p)
				}
				if want[i], errs[i] = p.Log(), positive; positive && !near(log, want[i], 1e-60) {
					t.Errorf("%s, dataset %d: ln P in %v, want %v", a.Name(), x, log, want[i])
				}
			}
			for i, a := range all {
				for j, b := range all {
					if !errs[i] || !errs[j] || (i+j)%3 > 0 && max(i%9, j%9) > 1 { // skip two thirds, to save time
						continue
					}
					if got := mechanism.LogRatio(a.Mechanism, b.Mechanism, x); !near(got, want[i].Sub(want[j]), 1e-60) {
						t.Errorf("dataset %d, %s against %s: ln of the ratio in %v, want %v", x, a.Name(), b.Name(), got, want[i].Sub(want[j]))
					}
				}
			}
		}
	}
}

func isAround(a interval.Interval, v *big.Rat) bool {
	lo, hi := a.Sub(interval.Rat(v)).Bounds()
	return lo <= 0 && hi >= 0
}
