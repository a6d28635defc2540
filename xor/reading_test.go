package xor

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
)

// above checks that got bounds want from above, by no more than so many units of it.
func above(t *testing.T, what string, got float64, want *big.Rat, units float64) {
	t.Helper()
	v, _ := want.Float64()
	if math.IsNaN(got) || rat(got).Cmp(want) < 0 || got > v+v*units*unit+4*math.SmallestNonzeroFloat64 {
		t.Errorf("%s: %v, want %v and little more", what, got, v)
	}
}

func added(terms ...*big.Rat) *big.Rat {
	out := new(big.Rat)
	for _, v := range terms {
		out.Add(out, v)
	}
	return out
}

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func size64(v float64) *big.Rat { return rat(math.Abs(v)) }

// What a reading moves a number by, and the sums of that, are bounded from above.
func TestReadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 21))
	numbers := []float64{0, 1, -3, .5, .1, -.7, 1e5 + .1, 99999.5, 100000.25, 1.0 / 1024, 1.0 / 2048, 0x1p53, 0x1p53 + 2, 1e22, 1e23, 5e-324, 1e-310, -2.5e-308, 1e300, math.MaxFloat64}
	for range 100 {
		numbers = append(numbers, math.Ldexp(mantissa(rng), rng.IntN(200)-100))
	}
	for _, x := range numbers {
		decimal := new(big.Rat).Sub(interval.Decimal(x), rat(x))
		decimal.Abs(decimal)
		half := rat(math.Max(math.Abs(x)*unit, math.SmallestNonzeroFloat64))
		switch got := misread(x); {
		case rat(got).Cmp(decimal) < 0, rat(got).Cmp(half) > 0:
			t.Errorf("%v is misread by %v, want at least %s", x, got, decimal.FloatString(40))
		case decimal.Sign() == 0 && math.Abs(x) < 1e5 && x*1024 == math.Trunc(x*1024) && got != 0:
			t.Errorf("%v is its decimal, and misread by %v", x, got)
		}
		for _, r := range []reading{{units: 3}, {least: 1e-20}, {decimals: true}, {true, 24, 1e-3}, {units: .5, least: 5e-324}} {
			if math.Abs(x) < 0x1p-900 && r.least == 0 {
				continue // there a reading has a least
			}
			want := added(times(times(rat(r.units), rat(unit)), size64(x)), rat(r.least))
			if r.decimals {
				want.Add(want, rat(misread(x)))
			}
			if v, _ := want.Float64(); math.IsInf(v, 1) {
				continue
			}
			above(t, fmt.Sprintf("%+v of %v", r, x), r.of(x), want, 8)
			c := (&Columns{n: 2, p: 3, theta: x, lambda: -x, offTheta: 1e-9, offLambda: .1}).read(r)
			above(t, "θ", c.offTheta, added(rat(1e-9), rat(r.of(x))), 2)
			above(t, "λ", c.offLambda, added(rat(.1), rat(r.of(x))), 2)
			if c.n != 2 || c.p != 3 || c.theta != x || c.lambda != -x {
				t.Errorf("%+v is another law", c)
			}
		}
		if (reading{}).of(x) != 0 {
			t.Errorf("what is meant exactly is off by %v", (reading{}).of(x))
		}
	}
	if c := (&Columns{n: 1, p: 1, theta: .1, offTheta: 1e-9}).read(reading{}); c.offTheta != 1e-9 || c.offLambda != 0 {
		t.Errorf("an exact reading moves %v and %v", c.offTheta, c.offLambda)
	}
	for range 200 {
		pairs := make([][2]float64, 1+rng.IntN(4))
		for i := range pairs {
			pairs[i] = [2]float64{math.Ldexp(2*rng.Float64()-1, rng.IntN(40)-20), math.Ldexp(rng.Float64(), -rng.IntN(60)) * float64(rng.IntN(2))}
			if rng.IntN(4) == 0 {
				pairs[i][0] = []float64{0, 1e-300, 0x1p-900, -0x1p-901}[rng.IntN(4)]
			}
		}
		r := spanning(pairs...)
		for _, n := range pairs {
			if rat(r.of(n[0])).Cmp(rat(n[1])) < 0 {
				t.Errorf("%+v of %v is %v, want %v", r, n[0], r.of(n[0]), n[1])
			}
		}
		if len(pairs) == 1 && math.Abs(pairs[0][0]) >= 0x1p-900 {
			above(t, "one number", r.of(pairs[0][0]), rat(pairs[0][1]), 8)
		}
	}
	if r := spanning([2]float64{0, 0}, [2]float64{1, 0}); r != (reading{}) {
		t.Errorf("what is exact is read as %+v", r)
	}
	a := reading{false, 2, 1e-3}.and(reading{true, 3, 1e-2})
	if a != (reading{true, 5, 1e-3 + 1e-2}) {
		t.Errorf("two readings are %+v", a)
	}
	diag, rows := []float64{1, -.1, .3}, [][]float64{{9, 9, 9}, {.7, 9, 9}, {-.2, 5, 9}}
	r := reading{true, 3, 1e-9}
	want := added(rat(r.of(1)), rat(r.of(.1)), rat(r.of(.3)), times(rat(2), added(rat(r.of(.7)), rat(r.of(.2)), rat(r.of(5)))))
	above(t, "the exponents", r.exponents(diag, rows), want, 30)
	if v := (reading{}).exponents(diag, rows); v != 0 {
		t.Errorf("exact exponents are off by %v", v)
	}
	for _, v := range []float64{.1, -3, 1e-300} {
		x := interval.Rat(big.NewRat(1, 7))
		least, most := exact(x)
		for _, end := range []*big.Rat{least, most} {
			gap := new(big.Rat).Sub(end, rat(v))
			above(t, "how far 1/7 is", apart(x, v), gap.Abs(gap), 4)
		}
	}
	for _, v := range []float64{.1, .25, 1e300} {
		least, most := exact(interval.Readings(v))
		if d := interval.Decimal(v); least.Cmp(d) > 0 || most.Cmp(d) < 0 || least.Cmp(rat(v)) > 0 || most.Cmp(rat(v)) < 0 {
			t.Errorf("both readings of %v are [%v, %v]", v, least, most)
		}
	}
	tenth, third := big.NewRat(1, 10), big.NewRat(1, 3)
	for _, c := range []struct {
		eps  evidence.Epsilon
		both bool // the float64 is meant as well
	}{{must.Be(evidence.RationalEpsilon("eps", tenth)), true}, {must.Be(evidence.NewEpsilon("eps", .1)), true}, {must.Be(evidence.RationalEpsilon("eps", third)), false}} {
		least, most := exact(readingsOf(c.eps))
		if wide := least.Cmp(most) < 0 && new(big.Rat).Sub(most, least).Cmp(big.NewRat(1, 1<<60)) > 0; wide != c.both {
			t.Errorf("%v is read as [%v, %v]", c.eps, least, most)
		}
	}
}

// column is one column's law by definition: the weights of m ones for θ and λ.
func column(n int, theta, lambda float64) []interval.Interval {
	var out []interval.Interval
	for m := range n + 1 {
		e := interval.Float(theta).Mul(interval.Int(int64(m))).Add(interval.Float(lambda).Mul(interval.Int(int64(m * (m - 1)))))
		out = append(out, interval.Rat(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(m)))).Mul(e.Exp()))
	}
	return out
}

// moment is Σ f(m)·weight.
func moment(law []interval.Interval, f func(m int) int) interval.Interval {
	out := interval.Int(0)
	for m, w := range law {
		out = out.Add(w.Mul(interval.Int(int64(f(m)))))
	}
	return out
}

// columnLoss is the largest log ratio of s bits over p columns of n, by all ways.
func columnLoss(n, p, s int, distinct bool, theta, lambda float64) *big.Rat {
	one := make([]*big.Rat, n+1) // exactly t bits of one column
	for bits := range one {
		one[bits] = new(big.Rat)
		for a := range bits + 1 {
			for r := range n - bits + 1 {
				v := added(rat(theta), times(rat(lambda), big.NewRat(int64(2*r+bits-1), 1)))
				v.Mul(v, big.NewRat(int64(bits-2*a), 1)).Abs(v)
				if v.Cmp(one[bits]) > 0 {
					one[bits] = v
				}
			}
		}
	}
	most := n
	if distinct {
		most = 1
	}
	best := make([]*big.Rat, s+1)
	for have := range best {
		best[have] = new(big.Rat)
	}
	for range p {
		for have := s; have > 0; have-- {
			for bits := 1; bits <= min(most, have); bits++ {
				if v := added(best[have-bits], one[bits]); v.Cmp(best[have]) > 0 {
					best[have] = v
				}
			}
		}
	}
	return best[s]
}

// Everything certified of columns holds for every θ and λ that are meant, and is no
// wider than what they move it by.
func TestColumnsHoldEveryReading(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	ctx := context.Background()
	dyadic := func(scale float64) float64 { return math.Round(scale*rng.NormFloat64()*64) / 64 }
	for trial := range 24 {
		n, p := 1+rng.IntN(6), 1+rng.IntN(3)
		c := &Columns{n: n, p: p, theta: dyadic([]float64{1, 9, 80}[trial%3]), lambda: dyadic(1)}
		if trial%4 == 0 {
			c.lambda = 0
		}
		if trial%2 == 1 {
			c.offTheta = 0x1p-33
		}
		if trial%3 == 1 {
			c.offLambda = 0x1p-34
		}
		law := column(n, c.theta, c.lambda)
		z := moment(law, func(int) int { return 1 })
		mean := func(f func(m int) int) float64 { return moment(law, f).Quo(z).Mid() }
		ones := func(m int) int { return m }
		zeros := func(m int) int { return n - m }
		pairs := func(m int) int { return m * (m - 1) }
		// What θ and λ move the logarithm of a sum of f by, at most.
		moves := func(f func(m int) int) float64 {
			of := moment(law, f)
			at := func(g func(m int) int) float64 {
				return moment(law, func(m int) int { return f(m) * g(m) }).Quo(of).Mid()
			}
			return at(ones)*c.offTheta + at(pairs)*c.offLambda
		}
		check := func(what string, got evidence.Certified, width float64, truth func(theta, lambda float64) interval.Interval) {
			t.Helper()
			for _, a := range []float64{-1, 0, 1} {
				for _, b := range []float64{-1, 0, 1} {
					least, most := exact(truth(c.theta+a*c.offTheta, c.lambda+b*c.offLambda))
					if rat(got.Lo).Cmp(most) > 0 || rat(got.Hi).Cmp(least) < 0 {
						t.Errorf("%s of %+v: [%v, %v] misses %v", what, c.String(), got.Lo, got.Hi, least.FloatString(20))
					}
				}
			}
			if got.Hi-got.Lo > width*got.Hi+1e-305 || got.Method == "" || got.Source == "" && got.Side != evidence.Up {
				t.Errorf("%s of %v: [%v, %v] is wider than %g of it", what, c.String(), got.Lo, got.Hi, width)
			}
		}
		const units = 60 * unit
		one := func(int) int { return 1 }
		lz := z.Log().Mul(interval.Int(int64(p))).Mid()
		check("ln Z", must.Be(c.LogNormalizer(ctx)), units*(1+1/lz)+3*float64(p)*(moves(one)+float64(n)*c.offTheta/64)/lz, func(theta, lambda float64) interval.Interval {
			return moment(column(n, theta, lambda), one).Log().Mul(interval.Int(int64(p)))
		})
		for _, per := range []int{1, 3, n * p} {
			for _, complement := range []bool{false, true} {
				f := ones
				if complement {
					f = zeros
				}
				got := must.Be(c.MeanOnes(ctx, Variant(complement), float64(per)))
				check(fmt.Sprintf("E/%d, complement %t", per, complement), got, units+2.1*(moves(f)+moves(one)), func(theta, lambda float64) interval.Interval {
					law := column(n, theta, lambda)
					return moment(law, f).Quo(moment(law, one)).Mul(interval.Int(int64(p))).Quo(interval.Int(int64(per)))
				})
				if q := mean(f) / float64(n); q > .5 { // near its most a mean moves less
					if most := float64(n*p) / float64(per); got.Hi > most*(1+2*unit) || got.Hi-got.Lo > most*(units+2.2*(1-q+8*unit)*c.off()+1e-18) {
						t.Errorf("E/%d of %v is in [%v, %v], at most %v", per, c.String(), got.Lo, got.Hi, most)
					}
				}
			}
		}
		m := must.Be(c.moments(ctx))
		check("a marginal", m.Marginals[n*p-1], units+2.1*(moves(ones)+moves(one)), func(theta, lambda float64) interval.Interval {
			law := column(n, theta, lambda)
			return moment(law, ones).Quo(moment(law, one)).Quo(interval.Int(int64(n)))
		})
		if n > 1 {
			check("a pair of a column", must.Be(m.Pair(0, p)), units+2.1*(moves(pairs)+moves(one)), func(theta, lambda float64) interval.Interval {
				law := column(n, theta, lambda)
				return moment(law, pairs).Quo(moment(law, one)).Quo(interval.Int(int64(n * (n - 1))))
			})
		}
		if p > 1 {
			check("a pair of two columns", must.Be(m.Pair(0, 1)), 2*units+4.2*(moves(ones)+moves(one)), func(theta, lambda float64) interval.Interval {
				law := column(n, theta, lambda)
				return moment(law, ones).Quo(moment(law, one)).Quo(interval.Int(int64(n))).Pow(2)
			})
		}
		for got, k := must.Be(c.ColumnOnes(ctx)), 0; k <= n; k++ {
			if want := law[k].Quo(z).Mid(); math.Abs(got[k]/want-1) > 1e-14 && want > 1e-300 {
				t.Errorf("Pr[%d ones] of %v is %v, want %v", k, c.String(), got[k], want)
			}
		}
		size := math.Abs(c.theta) + 2*float64(n-1)*math.Abs(c.lambda)
		for s := 1; s <= n*p; s++ {
			for _, x := range []struct {
				what     string
				got      evidence.Certified
				p, s     int
				distinct bool
			}{
				{"anywhere", c.LossAnywhere(s), p, s, false}, {"in distinct columns", c.LossInDistinctColumns(s), p, s, true},
			} {
				width := (units*size + 2.1*(c.offTheta+2*float64(n-1)*c.offLambda)) * float64(min(x.s, x.p*n))
				if x.got.Side != evidence.Up || x.got.Float() != x.got.Hi {
					t.Errorf("the value of a loss is %v, want %v", x.got.Float(), x.got.Hi)
				}
				check(fmt.Sprint(s, " bits ", x.what), x.got, width/math.Max(x.got.Hi, 1e-300), func(theta, lambda float64) interval.Interval {
					return interval.Rat(columnLoss(n, x.p, x.s, x.distinct, theta, lambda))
				})
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func (c *Columns) String() string {
	return fmt.Sprintf("%d×%d, θ = %v ± %v, λ = %v ± %v", c.n, c.p, c.theta, c.offTheta, c.lambda, c.offLambda)
}
