package mvg

import (
	"errors"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

var errOracle = errors.New("no answer")

// Searches return the error of what they ask, at whichever question it comes.
func TestErrorsOfOracles(t *testing.T) {
	rng := rand.New(rand.NewPCG(119, 1))
	w := symmetric.RandomBasis(2, rng)
	box := ok(NewBox(2, []float64{0.5, 2}))
	of := func(objective Objective, mode Mode) *optimizer {
		return &optimizer{
			ctx: t.Context(), s: box, goal: Goal{objective, []float64{1, 3}}, recipe: Recipe{Mode: mode, Directions: w},
			frame: ok(newFrame(w, []float64{1, 3})), mu: evidence.Certified{Lo: 1, Hi: 1}, n: 2, columns: 1,
		}
	}
	asked, fails := 0, 0
	question := func() error {
		if asked++; asked == fails {
			return errOracle
		}
		return nil
	}
	oracleOf := func(o *optimizer) oracle {
		find := o.boxOracle(box)
		return oracle{
			worst: func(p []float64) ([]interval.Interval, error) {
				if err := question(); err != nil {
					return nil, err
				}
				return find.worst(p)
			},
			touching: func(i int) ([]interval.Interval, error) {
				if err := question(); err != nil {
					return nil, err
				}
				return find.touching(i)
			},
		}
	}
	more := func(find worst) worst {
		return func(p, q *mat.SymDense) ([]*mat.Dense, error) {
			if err := question(); err != nil {
				return nil, err
			}
			return find(p, q)
		}
	}
	column := func(o *optimizer) worst {
		return func(p, _ *mat.SymDense) ([]*mat.Dense, error) {
			found, err := box.worstSigns(o.ctx, p)
			var out []*mat.Dense
			for _, s := range found {
				out = append(out, box.column(s))
			}
			return out, err
		}
	}
	for name, f := range map[string]func() (any, error){
		"planes for the error": func() (any, error) {
			o := of(LeastError, Unimodal)
			p, _, err := o.planes(oracleOf(o))
			return p == nil, err
		},
		"planes for information": func() (any, error) {
			o := of(MostInformation, Unimodal)
			v, err := o.cut(oracleOf(o), planesMethod)
			return v == nil, err
		},
		"any Σ for information": func() (any, error) {
			o := of(MostInformation, Unimodal)
			v, err := o.free([]*mat.Dense{box.column([]float64{1, 1}), box.column([]float64{1, -1})}, more(column(o)))
			return v == nil, err
		},
		"any Σ for the error": func() (any, error) {
			o := of(LeastError, Unimodal)
			v, err := o.free([]*mat.Dense{box.column([]float64{1, 1}), box.column([]float64{1, -1})}, more(column(o)))
			return v == nil, err
		},
		"Ψ = Σ for the error": func() (any, error) {
			o := of(LeastError, Equimodal)
			v, err := o.geodesic(&geodesic{mode: Equimodal, diagonal: true}, []*mat.Dense{box.vertex([]float64{1, 1}, 0), box.vertex([]float64{1, -1}, 1)}, more(o.worstEntry(box)), false)
			return v == nil, err
		},
		"Ψ = Σ for information in a box": func() (any, error) {
			o := of(MostInformation, Equimodal)
			p, _, err := o.vertexRows(box, oracleOf(o)).best()
			return p == nil, err
		},
	} {
		asked, fails = 0, 0
		if none, err := f(); err != nil || none == true || asked == 0 {
			t.Errorf("%s: %d questions, error %v", name, asked, err)
			continue
		}
		whole := asked
		for n := 1; n <= whole; n += 1 + n/8 {
			asked, fails = 0, n
			if none, err := f(); !errors.Is(err, errOracle) || none != true {
				t.Errorf("%s: no answer to question %d of %d: error %v", name, n, whole, err)
			}
		}
	}
}

// What no claim or scale can be made for is refused where it is asked, with the name of the number.
func TestBeyondTheCurve(t *testing.T) {
	ball := ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	for _, c := range []struct {
		eps, delta float64
		want       string
	}{{1e21, 0.1, "eps = 1e+21"}, {1, 1e-308, "delta = 1e-308"}} {
		r := Recipe{Epsilon: epsilonOf(c.eps), Delta: evidencetest.Delta(c.delta)}
		if d, err := NewTight(t.Context(), ball, r); d != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, c.want) {
			t.Errorf("ε = %g, δ = %g: design %v, error %v", c.eps, c.delta, d, err)
		}
		if o, err := Optimal(t.Context(), ball, Goal{}, r); o != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, c.want) {
			t.Errorf("ε = %g, δ = %g: optimum %v, error %v", c.eps, c.delta, o, err)
		}
	}
	wide := ok(NewBox(2, []float64{1e308, 1e308}))
	if c, err := NewClaim(t.Context(), wide, Theorem2, ZetaRoot, Recipe{Epsilon: epsilonOf(1), Delta: evidencetest.Delta(0.1)}); c != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a box of 1e308: claim %v, error %v", c, err)
	}
	var c Covariance
	if err := c.set(mat.NewSymDense(2, []float64{1, 2, 2, -1})); err == nil || c.dense != nil {
		t.Errorf("an entry of −1: error %v", err)
	}
	if err := c.set(mat.NewSymDense(2, []float64{1, 2, 2, 1})); err == nil || c.dense != nil {
		t.Errorf("an eigenvalue of −1: error %v", err)
	}
	little := symmetric.Diagonal([]interval.Interval{interval.TwoTo(-3000), interval.TwoTo(-3000)})
	if v, eta, err := tangent(little, identity(2)); !errors.Is(err, errScale) || eta != 0 {
		t.Errorf("a tangent at prices of 2^−3000: %v, %v, error %v", v, eta, err)
	}
	for n := 1; n < 4; n++ {
		one := unitNoise(n)
		if !sameCovariance(one, ok(NewIsotropic(n, 1))) || one.Order() != n || one.Trace() != float64(n) {
			t.Errorf("I of order %d: %v", n, one)
		}
	}
}
