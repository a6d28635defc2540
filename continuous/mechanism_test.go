package continuous_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"

	"github.com/cockroachdb/apd/v3"
)

func queryOf(t testing.TB, ends ...string) *continuous.Linear {
	t.Helper()
	var v [][2]*big.Rat
	for i := 0; i < len(ends); i += 2 {
		v = append(v, [2]*big.Rat{fractionOf(t, ends[i]), fractionOf(t, ends[i+1])})
	}
	q := must.For(continuous.NewLinear(v))(t)
	return q
}

func fractionOf(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is not a number", s)
	}
	return r
}

func ExampleNewStaircase() {
	q, _ := continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1001, 1)}})
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(9, 1))
	m, _ := continuous.NewStaircase(q, eps, nil)
	// The distortion is Δ e^{ε/2}/(e^ε − 1) = 1001·3/8, at γ* = 1/(1 + 3).
	fmt.Println(m.Gamma().(evidence.Exact).Value, m.Distortion().(evidence.Exact).Value)
	// Output: 1/4 3003/8
}

// The costs at the optimal γ are the published ones (Geng and Viswanath 2016): Δe^{ε/2}/(e^ε−1) and
// Δ²(2^{−2/3}b^{2/3}(1+b)^{2/3} + b)/(1−b)². No other γ does better.
func TestStaircaseOptimum(t *testing.T) {
	q := queryOf(t, "0", "3")
	for _, e := range []float64{0.05, 0.5, 1, 3, 8} {
		b := math.Exp(-e)
		abs := must.For(continuous.NewOptimalStaircase(q, evidencetest.Epsilon(e), continuous.CostAbs))(t)
		square := must.For(continuous.NewOptimalStaircase(q, evidencetest.Epsilon(e), continuous.CostSquare))(t)
		encloses(t, fmt.Sprintf("least E|noise| at ε = %g", e), abs.Distortion(), 3*math.Exp(e/2)/math.Expm1(e))
		encloses(t, fmt.Sprintf("least E noise² at ε = %g", e), square.SecondMoment(), 9*(math.Cbrt(b*b*(1+b)*(1+b)/4)+b)/((1-b)*(1-b)))
		for k := int64(1); k < 20; k++ {
			m := must.For(continuous.NewStaircase(q, evidencetest.Epsilon(e), big.NewRat(k, 20)))(t)
			if m.Distortion().Float() < abs.Distortion().Float()*(1-1e-15) || m.SecondMoment().Float() < square.SecondMoment().Float()*(1-1e-15) {
				t.Errorf("ε = %g: γ = %d/20 beats the optimum", e, k)
			}
		}
	}
}

// encloses fails the test unless got encloses want with a relative width of 1e-12.
func encloses(t *testing.T, what string, got evidence.Number, want float64) {
	t.Helper()
	lo, hi := got.Bounds()
	if slack := 1e-12 * math.Abs(want); !(lo-slack <= want && want <= hi+slack && hi-lo <= slack) {
		t.Errorf("%s = [%v, %v], want %v", what, lo, hi, want)
	}
}

// Layers satisfy Definition 13: at a point of layer i, the density divided by its maximum is in (e^{−(i+1)ε},
// e^{−iε}], also at the ends of intervals.
func TestMechanismLayers(t *testing.T) {
	line, lattice := queryOf(t, "0", "3/2"), queryOf(t, "1", "1", "3", "3")
	const base = 3
	var all []continuous.Mechanism
	add := func(m continuous.Mechanism, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	add(continuous.NewStaircase(line, evidencetest.LogEpsilon(base, 1), big.NewRat(2, 7)))
	add(continuous.NewGeometric(lattice, evidencetest.LogEpsilon(base, 1)))
	add(continuous.NewLaplace(line, evidencetest.LogEpsilon(base, 1)))
	for _, m := range all {
		sets := must.For(m.Layers(context.Background(), 4))(t)
		most, _ := m.Density(new(big.Rat))
		for i, set := range sets {
			for _, s := range set.Segments() {
				points := []*big.Rat{new(big.Rat).Mul(big.NewRat(1, 2), new(big.Rat).Add(s.Lo, s.Hi))}
				if !s.OpenLo {
					points = append(points, s.Lo)
				}
				if !s.OpenHi {
					points = append(points, s.Hi)
				}
				for _, r := range points {
					d := must.For(m.Density(r))(t)
					level := -math.Log(d.Float()/most.Float()) / math.Log(base)
					if !(level > float64(i)-1e-12 && level < float64(i+1)-1e-12) {
						t.Errorf("%s: %v in layer %d has −ln(p/M)/ε = %v", m.Name(), r, i, level)
					}
				}
			}
		}
	}
}

// digits does decimal arithmetic with 800 digits. That is enough to evaluate textbook formulas at ε = 1e-300, where 1 −
// e^{−ε} loses 300 digits and its square 600.
type digits struct {
	t testing.TB
	*apd.Context
}

var long = apd.BaseContext.WithPrecision(800)

func (d digits) of(v float64) *apd.Decimal {
	return d.rat(new(big.Rat).SetFloat64(v))
}

func (d digits) rat(q *big.Rat) *apd.Decimal {
	num, den := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(q.Num()), 0), apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(q.Denom()), 0)
	return d.quo(num, den)
}

func (d digits) do(f func(out *apd.Decimal) (apd.Condition, error)) *apd.Decimal {
	d.t.Helper()
	out := new(apd.Decimal)
	must.For(f(out))(d.t)
	return out
}

func (d digits) add(a, b *apd.Decimal) *apd.Decimal {
	return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Add(o, a, b) })
}

func (d digits) sub(a, b *apd.Decimal) *apd.Decimal {
	return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Sub(o, a, b) })
}

func (d digits) mul(a *apd.Decimal, more ...*apd.Decimal) *apd.Decimal {
	for _, b := range more {
		x := a
		a = d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Mul(o, x, b) })
	}
	return a
}

func (d digits) quo(a, b *apd.Decimal) *apd.Decimal {
	return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Quo(o, a, b) })
}

func (d digits) exp(a *apd.Decimal) *apd.Decimal {
	return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Exp(o, a) })
}

func (d digits) cbrt(a *apd.Decimal) *apd.Decimal {
	return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Cbrt(o, a) })
}

// holds fails the test unless a number encloses want, is at most four units in the last place wide within the normal
// range of float64, and prints a value within its bounds.
func (d digits) holds(what string, got evidence.Number, want *apd.Decimal) {
	d.t.Helper()
	lo, hi := got.Bounds()
	below := math.IsInf(lo, -1) || d.of(lo).Cmp(want) <= 0
	above := math.IsInf(hi, 1) || d.of(hi).Cmp(want) >= 0
	v := got.Float()
	w, _ := want.Float64()
	if !below || !above || !(lo <= v && v <= hi) {
		d.t.Errorf("%s: %g in [%g, %g] misses %.30s…", what, v, lo, hi, want.Text('E'))
	}
	if math.Abs(w) > 1e-300 && math.Abs(w) < 1e300 && hi-lo > 9e-16*math.Abs(w) {
		d.t.Errorf("%s: [%g, %g] is wide", what, lo, hi)
	}
}

// Distortions, second moments and γ of the mechanisms on the line match their closed forms in 800 digits, for ε from
// 1e-300 to 700 and sensitivities from 1e-300 to 1e300.
func TestMomentsAtEveryScale(t *testing.T) {
	d := digits{t, long}
	num := func(v float64) *apd.Decimal { return d.of(v) }
	for _, delta := range []string{"1", "7/3", "1e-300", "1e300"} {
		for _, e := range []float64{1e-300, 1e-150, 1e-80, 1e-16, 0.01, 0.9, 1.1, 30, 699} {
			q, eps := queryOf(t, delta, delta), evidencetest.Epsilon(e)
			size, one := d.rat(fractionOf(t, delta)), num(1)
			b, w := d.exp(num(-e)), d.exp(d.quo(num(-e), num(2)))
			rest := d.sub(one, b)
			beta := d.quo(b, rest)
			name := fmt.Sprintf("ε = %g, Δ = %s: ", e, delta)

			laplace := must.For(continuous.NewLaplace(q, eps))(t)
			scale := d.quo(size, num(e))
			d.holds(name+"Laplace", laplace.Distortion(), scale)
			d.holds(name+"Laplace, squared", laplace.SecondMoment(), d.mul(num(2), scale, scale))
			d.holds(name+"layers of Laplace", laplace.Discretized().Distortion(), d.mul(size, d.add(num(0.5), beta)))

			geometric := must.For(continuous.NewGeometric(q, eps))(t)
			d.holds(name+"geometric", geometric.Distortion(), d.quo(d.mul(num(2), size, b), d.mul(rest, d.add(one, b))))
			d.holds(name+"geometric, squared", geometric.SecondMoment(), d.quo(d.mul(num(2), size, size, b), d.mul(rest, rest)))

			for cost, gamma := range map[continuous.Cost]*apd.Decimal{
				continuous.CostAbs:    d.quo(w, d.add(one, w)),
				continuous.CostSquare: d.quo(d.sub(d.cbrt(d.quo(d.mul(b, d.add(one, b)), num(2))), b), rest),
			} {
				m := must.For(continuous.NewOptimalStaircase(q, eps, cost))(t)
				u := d.add(gamma, beta)
				spread := d.mul(beta, d.add(one, beta))
				d.holds(name+"γ for "+string(cost), m.Gamma(), gamma)
				d.holds(name+"staircase for "+string(cost), m.Distortion(), d.mul(size, num(0.5), d.add(u, d.quo(spread, u))))
				twist := d.quo(d.mul(spread, d.add(one, d.mul(num(2), beta))), u)
				d.holds(name+"staircase, squared, for "+string(cost), m.SecondMoment(),
					d.quo(d.mul(size, size, d.add(d.add(d.mul(u, u), d.mul(num(3), spread)), twist)), num(3)))
			}
		}
	}
}

// Densities at and next to boundaries of every kind, from the middle to where they underflow float64, match
// e^{−ε·step} in 800 digits.
func TestDensitiesAtBoundaries(t *testing.T) {
	d := digits{t, long}
	one := d.of(1)
	const e = 1.25
	eps := evidencetest.Epsilon(e)
	b := d.exp(d.of(-e))
	rest := d.sub(one, b)
	powers := map[int64]*apd.Decimal{}
	power := func(k *big.Int) *apd.Decimal { // e^{−ke}, or 0 far below float64
		if k.BitLen() > 12 {
			return new(apd.Decimal)
		}
		n := k.Int64()
		if powers[n] == nil {
			powers[n] = d.exp(d.mul(d.of(-e), d.of(float64(n))))
		}
		return powers[n]
	}
	holds := func(what string, m continuous.Mechanism, r *big.Rat, step *big.Int, height *apd.Decimal) {
		t.Helper()
		for _, at := range []*big.Rat{r, new(big.Rat).Neg(r)} {
			got, err := m.Density(at)
			if err != nil {
				t.Errorf("%s at %v: %v", what, at, err)
				continue
			}
			want := d.mul(power(step), height)
			if step.BitLen() > 12 {
				if lo, hi := got.Bounds(); lo != 0 || hi != math.SmallestNonzeroFloat64 {
					t.Errorf("%s at %v: [%g, %g], want 0 to the smallest float64", what, at, lo, hi)
				}
				continue
			}
			d.holds(fmt.Sprintf("%s at %v", what, at), got, want)
		}
	}
	sliver := fractionOf(t, "1e-60")
	for _, k := range []string{"0", "1", "2", "37", "4000", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e30", "1e300"} {
		n := fractionOf(t, k)
		whole := n.Num()
		up := new(big.Int).Add(whole, big.NewInt(1))
		near := func(r *big.Rat, f func(r *big.Rat, outside bool)) {
			f(new(big.Rat).Sub(r, sliver), false)
			f(r, true)
			f(new(big.Rat).Add(r, sliver), true)
		}
		step := func(outside bool) *big.Int {
			if outside {
				return up
			}
			return whole
		}
		// The steps of a Staircase with γ = 2/7 and Δ = 3/2 end at (k + 2/7)·3/2.
		q := queryOf(t, "0", "3/2")
		gamma := fractionOf(t, "2/7")
		s := must.For(continuous.NewStaircase(q, eps, gamma))(t)
		height := d.quo(one, d.mul(d.of(3), d.add(d.rat(gamma), d.quo(b, rest))))
		at := new(big.Rat).Add(n, gamma)
		near(at.Mul(at, fractionOf(t, "3/2")), func(r *big.Rat, outside bool) { holds("staircase", s, r, step(outside), height) })
		// The layers of Laplace noise with Δ = 3/2 end at (k + 1)·3/2.
		l := must.For(continuous.NewLaplace(q, eps))(t)
		at = new(big.Rat).Mul(new(big.Rat).SetInt(up), fractionOf(t, "3/2"))
		near(at, func(r *big.Rat, outside bool) {
			holds("layers of Laplace", l.Discretized(), r, step(outside), d.quo(rest, d.of(3)))
		})
		// Geometric noise on ℤ has Δ = 1.
		g := must.For(continuous.NewGeometric(queryOf(t, "1", "1"), eps))(t)
		holds("geometric", g, n, whole, d.quo(rest, d.add(one, b)))
	}
	// An irrational γ close to 1/2 is distinguished from 1/2 for every small ε.
	for _, e := range []float64{1e-300, 1e-80, 0.5} {
		for _, cost := range []continuous.Cost{continuous.CostAbs, continuous.CostSquare} {
			m := must.For(continuous.NewOptimalStaircase(queryOf(t, "1", "1"), evidencetest.Epsilon(e), cost))(t)
			if within, err := m.StepExceeds(big.NewRat(1, 2)); within || err != nil {
				t.Errorf("ε = %g: γ for %s above 1/2: %v, %v", e, cost, within, err)
			}
		}
	}
}

// A density is rational if the power of e^{−ε} is short enough. The power of 1/9 at 2²⁴ steps would need 10 MB.
func TestRationalDensities(t *testing.T) {
	m := must.For(continuous.NewGeometric(queryOf(t, "1", "1"), evidencetest.LogEpsilon(9, 1)))(t)
	for k, exact := range map[int64]bool{0: true, 7: true, 2000: true, 1 << 24: false, 1 << 50: false} {
		d := must.For(m.Density(big.NewRat(k, 1)))(t)
		e, ok := d.(evidence.Exact)
		if ok != exact {
			t.Errorf("density at %d is %s", k, d.Kind())
		}
		if ok { // 9^−k (1 − 1/9)/(1 + 1/9)
			want := new(big.Rat).SetFrac(big.NewInt(4), new(big.Int).Exp(big.NewInt(9), big.NewInt(k), nil))
			want.Quo(want, big.NewRat(5, 1))
			if e.Value.Cmp(want) != 0 {
				t.Errorf("density at %d is %v, want %v", k, e.Value, want)
			}
		}
	}
}
