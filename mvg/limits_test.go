package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Vertices are visited one by one up to 2²⁰ of them, and not beyond.
func TestEnumerationEndsAtItsLimit(t *testing.T) {
	for m := maxVertexBits; m <= maxVertexBits+2; m++ {
		q := symmetric.Multiple(m, 1)
		for i := range m - 1 {
			q.SetSym(i, i+1, 0.4)
		}
		box, sigma := ok(NewBox(1, uniform(m, 0.5))), ok(NewDense(q))
		for name, f := range map[string]func(ctx *counting) error{
			"the worst signs": func(ctx *counting) error { _, err := box.worstSigns(ctx, q); return err },
			"the best vertex": func(ctx *counting) error { _, err := box.vertexMaximum(ctx, sigma); return err },
			"what is over": func(ctx *counting) error {
				_, err := (&optimizer{ctx: ctx}).signMaximum(symmetric.Exactly(q))
				return err
			},
		} {
			ctx := &counting{Context: t.Context()}
			if err := f(ctx); err != nil {
				t.Fatal(err)
			}
			steps := 0
			if m-1 <= maxVertexBits {
				steps = 1<<(m-1)/4096 - 1
			}
			if ctx.asked < steps || ctx.asked > steps+1 {
				t.Errorf("order %d, %s: asked %d times, want %d", m, name, ctx.asked, steps)
			}
		}
	}
}

// The dual of pairs is the sum of its rows' tangents and what is paid for the worst of them.
func TestLimitOfPairsIsThatOfItsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(118, 1))
	for range 10 {
		weights := []float64{2, 5, 0.1}
		o := &optimizer{ctx: t.Context(), goal: Goal{Weights: weights}, frame: ok(newFrame(nil, weights))}
		s := &pairs{optimizer: o, rows: []int{0, 1, 2}, gains: weights}
		y, paid := make([]float64, 5), interval.Int(0)
		for k := range y {
			d := normalMatrix(3, 2, rng)
			s.list, s.exact = append(s.list, d), append(s.exact, symmetric.Exactly(d))
			y[k] = rng.ExpFloat64()
			paid = paid.Add(interval.Float(y[k]))
		}
		want, worst := interval.Int(0), 0.0
		for i, w := range weights {
			v, eta, err := tangent(s.sum(i, y), symmetric.Diagonal([]interval.Interval{interval.Float(w).Sqrt(), interval.Float(w).Sqrt()}))
			if err != nil {
				t.Fatal(err)
			}
			want, worst = want.Add(v), math.Max(worst, eta)
		}
		want = want.Add(paid).Add(paid.Mul(interval.Float(worst)))
		off := ok(s.limit(y)).Sub(want)
		if lo, hi := off.Bounds(); worst == 0 || lo < -1e-25 || hi > 1e-25 {
			t.Errorf("the dual is off by [%v, %v], at a worst of %v", lo, hi, worst)
		}
	}
}

// Points with a number that is not positive are outside, and so are those on a constraint.
func TestSlacksAreInside(t *testing.T) {
	g := &separable{rows: [][]float64{{1, 0.5}, {0.25, 1}}}
	for _, c := range []struct {
		p    []float64
		want bool
	}{{[]float64{0.5, 0.5}, true}, {[]float64{0, 0.5}, false}, {[]float64{0.5, -1}, false}, {[]float64{0.75, 0.5}, false}, {[]float64{0.1, 2}, false}, {[]float64{math.NaN(), 0.1}, false}} {
		s, ok := g.slacks(c.p)
		if ok != c.want || ok && (s[0] != 1-c.p[0]-c.p[1]/2 || s[1] != 1-c.p[0]/4-c.p[1]) {
			t.Errorf("%v is inside: %v, slacks %v", c.p, ok, s)
		}
	}
}

// Shares are not negative, however many constraints are slack.
func TestSharesAreNotNegative(t *testing.T) {
	for _, c := range []struct{ y, step, want float64 }{{1, 5, 1}, {1, -0.5, 1}, {1, -0.99, 1}, {1, -1.98, 0.5}, {2, -1.98, 1}, {2, -19.8, 0.1}} {
		if got := keeping([]float64{1, c.y, 1}, []float64{0.1, c.step, -0.2}); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("a step of %v from %v: %v of it, want %v", c.step, c.y, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(118, 2))
	for k := range 60 {
		mode := Mode(k % 3)
		m, n := 3, 2
		if mode == Equimodal {
			n = m
		}
		g := &geodesic{mode: mode, root: diagonalRoots([]float64{1, 2, 3})}
		for range 9 {
			d := normalMatrix(m, n, rng)
			d.Scale(math.Exp(2*rng.NormFloat64()), d)
			g.list = append(g.list, d)
		}
		_, y, err := g.solve(t.Context(), ok(g.chart(g.start())), false)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range y {
			if sum += v; !(v >= 0) {
				t.Errorf("mode %d: shares %v", mode, y)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("mode %d: shares sum to %v", mode, sum)
		}
	}
}

// A tight design has variances as the roots of what it allots, the other way round; and what an
// optimum does without has a precision of 0 and no design.
func TestAllotmentsAndWithholding(t *testing.T) {
	theta := []float64{0.1, 0.2, 0.7}
	for mode := Unimodal; mode <= Equimodal; mode++ {
		for _, w := range []*mat.Dense{nil, symmetric.RandomBasis(3, rand.NewPCG(118, 3))} {
			r := Recipe{Epsilon: epsilonOf(1), Delta: evidencetest.Delta(1e-3), Theta: theta, Mode: mode}
			if w != nil {
				r.Directions = w
			}
			v := ok(NewTight(t.Context(), ok(NewBall(3, 3, BallOptions{S2: 1, Gamma: 1, PSD: true})), r)).Sigma().Variances()
			for i := range v {
				if got, want := v[i]/v[0], math.Sqrt(theta[0]/theta[i]); math.Abs(got-want) > 1e-13*want {
					t.Errorf("mode %d: variances %v for shares of %v", mode, v, theta)
				}
			}
		}
	}
	box := ok(NewBox(1, []float64{1, 1}))
	w := symmetric.RandomBasis(2, rand.NewPCG(118, 4))
	for _, free := range []bool{false, true} {
		for _, list := range []Sensitivity{box, ok(NewDifferences([]*mat.Dense{mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, -1})}))} {
			if _, box := list.(Box); free && !box {
				continue // it keeps a billionth, just too much
			}
			o := ok(solveAt(t.Context(), list, Goal{MostInformation, []float64{1e-4, 0}}, Recipe{Directions: w, FreeAxes: free}, 1, 1))
			none := 0
			for _, p := range o.Precisions {
				if p == 0 {
					none++
				}
			}
			if none != 1 || o.Design != nil || len(o.Precisions) != 2 {
				t.Errorf("%T, free axes %v: precisions %v, design %v", list, free, o.Precisions, o.Design)
			}
		}
	}
}
