package continuous_test

import (
	"context"
	"dpworkbench/internal/must"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
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
		t.Fatalf("%q is no number", s)
	}
	return r
}

func epsilonOf(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e := must.For(evidence.NewEpsilon("eps", v))(t)
	return e
}

func logOf(t testing.TB, base int64) evidence.Epsilon {
	t.Helper()
	e := must.For(evidence.LogEpsilon("eps", big.NewRat(base, 1)))(t)
	return e
}

// moments is what the continuous and the discrete mechanisms share.
type moments interface {
	continuous.Mechanism
	SecondMoment() evidence.Number
}

func ExampleNewStaircase() {
	q, _ := continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1001, 1)}})
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(9, 1))
	m, _ := continuous.NewStaircase(q, eps, nil)
	// Δ e^{ε/2}/(e^ε − 1) = 1001·3/8 at γ* = 1/(1 + 3).
	fmt.Println(m.Gamma().(evidence.Exact).Value, m.Distortion().(evidence.Exact).Value)
	// Output: 1/4 3003/8
}

// The published optimal costs, Geng and Viswanath 2016: Δe^{ε/2}/(e^ε−1), and
// Δ²(2^{−2/3}b^{2/3}(1+b)^{2/3} + b)/(1−b)², are those of the optimal γ, and no
// other γ does better.
func TestStaircaseOptimum(t *testing.T) {
	q := queryOf(t, "0", "3")
	for _, e := range []float64{0.05, 0.5, 1, 3, 8} {
		b := math.Exp(-e)
		abs := must.For(continuous.NewOptimalStaircase(q, epsilonOf(t, e), continuous.CostAbs))(t)
		square := must.For(continuous.NewOptimalStaircase(q, epsilonOf(t, e), continuous.CostSquare))(t)
		encloses(t, fmt.Sprintf("least E|noise| at ε = %g", e), abs.Distortion(), 3*math.Exp(e/2)/math.Expm1(e))
		encloses(t, fmt.Sprintf("least E noise² at ε = %g", e), square.SecondMoment(), 9*(math.Cbrt(b*b*(1+b)*(1+b)/4)+b)/((1-b)*(1-b)))
		for k := int64(1); k < 20; k++ {
			m := must.For(continuous.NewStaircase(q, epsilonOf(t, e), big.NewRat(k, 20)))(t)
			if m.Distortion().Float() < abs.Distortion().Float()*(1-1e-15) || m.SecondMoment().Float() < square.SecondMoment().Float()*(1-1e-15) {
				t.Errorf("ε = %g: γ = %d/20 beats the optimum", e, k)
			}
		}
	}
}

// encloses fails unless got encloses want to 1e-12 relative and is that narrow.
func encloses(t *testing.T, what string, got evidence.Number, want float64) {
	t.Helper()
	lo, hi := got.Bounds()
	if slack := 1e-12 * math.Abs(want); !(lo-slack <= want && want <= hi+slack && hi-lo <= slack) {
		t.Errorf("%s = [%v, %v], want %v", what, lo, hi, want)
	}
}

// Mass and moments of the densities by the midpoint rule on every smooth piece:
// pieces end at multiples of 1/1000 here, and the rule's error is below 1e-7.
func TestDensities(t *testing.T) {
	q := queryOf(t, "0", "1/2", "2", "2")
	e := epsilonOf(t, 1.25)
	staircase := must.For(continuous.NewStaircase(q, e, big.NewRat(3, 10)))(t)
	laplace := must.For(continuous.NewLaplace(q, e))(t)
	for _, m := range []moments{staircase, laplace} {
		mass, first, second := 0.0, 0.0, 0.0
		const step = 0.02
		for i := range 3000 {
			r := big.NewRat(int64(2*i+1), 100)
			d := must.For(m.Density(r))(t)
			v, _ := r.Float64()
			mass += 2 * step * d.Float()
			first += 2 * step * d.Float() * v
			second += 2 * step * d.Float() * v * v
		}
		for what, pair := range map[string][2]float64{
			"mass": {mass, 1}, "E|noise|": {first, m.Distortion().Float()}, "E noise²": {second, m.SecondMoment().Float()},
		} {
			if math.Abs(pair[0]-pair[1]) > 2e-4*pair[1] {
				t.Errorf("%s: %s is %v by quadrature, %v in closed form", m.Name(), what, pair[0], pair[1])
			}
		}
	}
}

// The integer Staircase and the geometric mechanism against enumeration, the
// best r against every r.
func TestLatticeMoments(t *testing.T) {
	for _, ends := range [][]string{{"1", "1"}, {"4", "4", "6", "6"}, {"1/3", "1/3", "3/2", "3/2"}} {
		q := queryOf(t, ends...)
		g, _ := q.Lattice()
		unit, _ := g.Float64()
		for _, e := range []evidence.Epsilon{epsilonOf(t, 1.2), logOf(t, 3)} {
			geometric := must.For(continuous.NewGeometric(q, e))(t)
			all := []moments{geometric}
			steps := new(big.Rat).Quo(q.Sensitivity().Value, g).Num().Int64()
			for _, m := range all {
				mass, first, second := 0.0, 0.0, 0.0
				for k := int64(-42 * steps); k <= 42*steps; k++ { // e^{−ln(3)·42} is below 1e-20
					r := new(big.Rat).Mul(g, big.NewRat(k, 1))
					d := must.For(m.Density(r))(t)
					v := float64(k) * unit
					mass += d.Float()
					first += d.Float() * math.Abs(v)
					second += d.Float() * v * v
				}
				if math.Abs(mass-1) > 1e-12 {
					t.Errorf("%s: mass %v", m.Name(), mass)
				}
				encloses(t, m.Name()+": E|noise|", m.Distortion(), first)
				encloses(t, m.Name()+": E noise²", m.SecondMoment(), second)
				if d, err := m.Density(new(big.Rat).Mul(g, big.NewRat(1, 2))); err != nil || d.Float() != 0 {
					t.Errorf("%s: half a lattice step has probability %v", m.Name(), d)
				}
			}
		}
	}
}

// Layers are those of Definition 13: the density at a point of layer i, over the
// largest, lies in (e^{−(i+1)ε}, e^{−iε}], at the ends of intervals too.
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
	add(continuous.NewStaircase(line, logOf(t, base), big.NewRat(2, 7)))
	add(continuous.NewGeometric(lattice, logOf(t, base)))
	add(continuous.NewLaplace(line, logOf(t, base)))
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
						t.Errorf("%s: %v of layer %d has −ln(p/M)/ε = %v", m.Name(), r, i, level)
					}
				}
			}
		}
	}
}

// Sample means of |noise| and noise² within six standard errors, estimated from
// the draws; six is passed by chance with probability 2e-9 each.
func TestNoise(t *testing.T) {
	line, lattice := queryOf(t, "0", "3/2"), queryOf(t, "1", "1", "3", "3")
	e := epsilonOf(t, 1.1)
	var all []moments
	add := func(m moments, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	add(continuous.NewStaircase(line, e, big.NewRat(1, 5)))
	add(continuous.NewGeometric(lattice, e))
	add(continuous.NewLaplace(line, e))
	for _, m := range all {
		const n = 200_000
		draws := must.For(m.Noise(n, rand.NewPCG(11, 1)))(t)
		for what, c := range map[string]struct {
			f    func(v float64) float64
			want float64
		}{
			"mean":     {func(v float64) float64 { return v }, 0},
			"E|noise|": {math.Abs, m.Distortion().Float()},
			"E noise²": {func(v float64) float64 { return v * v }, m.SecondMoment().Float()},
		} {
			sum, squares := 0.0, 0.0
			for _, v := range draws {
				sum += c.f(v)
				squares += c.f(v) * c.f(v)
			}
			mean := sum / n
			if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-c.want) > 6*se {
				t.Errorf("%s: %s of %d draws is %v, want %v ± %v", m.Name(), what, n, mean, c.want, 6*se)
			}
		}
		got := must.For(m.Privacy().Epsilon(context.Background(), evidence.Delta{}))(t)
		encloses(t, m.Name()+": smallest ε", got, 1.1)
	}
}

func TestMechanismErrors(t *testing.T) {
	q, e := queryOf(t, "0", "1"), epsilonOf(t, 1)
	for _, gamma := range []string{"0", "1", "-1/2", "3/2"} {
		if _, err := continuous.NewStaircase(q, e, fractionOf(t, gamma)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("γ = %s: %v, want ErrParameter", gamma, err)
		}
	}
	if _, err := continuous.NewGeometric(q, e); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("geometric noise for an interval: %v, want ErrParameter", err)
	}
	m := must.For(continuous.NewStaircase(q, e, nil))(t)
	if _, err := m.Layers(context.Background(), -1); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layers up to −1: %v, want ErrParameter", err)
	}
	if _, err := m.Noise(-1, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("−1 draws: %v, want ErrParameter", err)
	}
}
