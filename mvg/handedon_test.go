package mvg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What a search asks, of planes, differences, shares and proofs, may fail at any time: the error is
// handed on as it is, and nothing beside it.
func TestErrorsOfSearchesAreHandedOn(t *testing.T) {
	mine := errors.New("mine")
	const n = 2
	o := &optimizer{ctx: t.Context(), s: ok(NewDifferences([]*mat.Dense{symmetric.Eye(n)})), goal: Goal{MostInformation, uniform(n, 1)}, frame: ok(newFrame(nil, uniform(n, 1))), n: n, columns: 1}
	o.mu = evidence.Certified{Lo: 1, Hi: 1}
	row := func(int) ([]interval.Interval, error) { return exactly(uniform(n, 1)), nil }
	worst := func([]float64) ([]interval.Interval, error) { return exactly(uniform(n, 1)), nil }
	one := symmetric.Eye(n)
	huge := mat.NewDense(n, n, []float64{math.Inf(1), 0, 0, 1})
	for name, c := range map[string]struct {
		do  func() (bool, error)
		err error
	}{
		"a plane that touches": {func() (bool, error) {
			p, _, err := o.planes(oracle{worst, func(int) ([]interval.Interval, error) { return nil, mine }})
			return p == nil, err
		}, mine},
		"the plane that is violated": {func() (bool, error) {
			p, _, err := o.planes(oracle{func([]float64) ([]interval.Interval, error) { return nil, mine }, row})
			return p == nil, err
		}, mine},
		"a cut": {func() (bool, error) {
			p, err := o.cut(oracle{worst, func(int) ([]interval.Interval, error) { return nil, mine }}, "")
			return p == nil, err
		}, mine},
		"the first share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(float64, bool, bool) (*knot, error) { return nil, mine }}).best()
			return p == nil, err
		}, mine},
		"a smaller share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(_ float64, a, _ bool) (*knot, error) {
				if a {
					return nil, mine
				}
				return &knot{share: 1, value: 1, surplus: 2}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"a larger share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(_ float64, a, c bool) (*knot, error) {
				if c {
					return nil, mine
				}
				return &knot{share: 1, value: 1, surplus: 1}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"a share that is not one": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(s float64, a, c bool) (*knot, error) {
				if s != 1 && !a && !c {
					return nil, mine
				}
				return &knot{share: s, value: 1, surplus: 2}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"shares without end": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(s float64, _, _ bool) (*knot, error) { return &knot{share: s, value: 1, surplus: 2}, nil }}).best()
			return p == nil, err
		}, errScale},
		"a share's proof": {func() (bool, error) {
			_, err := (&knot{prove: func() (proof, error) { return proof{}, mine }}).limit(1)
			return true, err
		}, mine},
		"a factor of no numbers": {func() (bool, error) {
			p, err := o.dense(symmetric.Exactly(huge), nil, interval.Int(1), true, 0, "")
			return p == nil, err
		}, errScale},
	} {
		if nothing, err := c.do(); !errors.Is(err, c.err) || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %v", name, nothing, err, c.err)
		}
	}
	s := &pairs{optimizer: o, rows: []int{0, 1}, gains: []float64{1, 1}, list: []*mat.Dense{one}}
	none := mat.NewDense(n, n, nil)
	if p, v, err := s.forColumns(none); p != nil || v != 0 || !errors.Is(err, errScale) {
		t.Errorf("rows for a Q of 0: %v, %v, error %v", p, v, err)
	}
	if q, err := s.forRows([]float64{0, 0}, one); q != nil || !errors.Is(err, errScale) {
		t.Errorf("columns for a P of 0: %v, error %v", q, err)
	}
	if q, err := s.design([]float64{0, 0}, one, interval.Int(1)); q != nil || !errors.Is(err, errScale) {
		t.Errorf("a design for a P of 0: %v, error %v", q, err)
	}
	nan := mat.NewDense(n, n, []float64{math.NaN(), 0, 0, 1})
	for name, c := range map[string]*mat.Dense{"no numbers": nan, "columns 1e200 apart": mat.NewDense(n, n, []float64{1e200, 0, 0, 1}), "no rows to spend on": one} {
		if q, err := s.design(uniform(n, 1), c, interval.Int(1)); q != nil || err == nil {
			t.Errorf("a design of %s: %v, error %v", name, q, err)
		}
	}
	if _, _, err := tangent(symmetric.Exactly(none), identity(n)); !errors.Is(err, errScale) {
		t.Errorf("a tangent beside 0: error %v", err)
	}
	tiny := mat.NewDense(n, n, []float64{1e-300, 0, 0, 1e-300})
	large := mat.NewDense(n, n, []float64{1e300, 0, 0, 1e300})
	if _, _, err := tangent(symmetric.Exactly(tiny), symmetric.Exactly(large)); !errors.Is(err, errScale) {
		t.Errorf("a tangent beyond numbers: error %v", err)
	}
}

// The value of a design that is beyond numbers is none, on either side.
func TestDesignsBeyondNumbers(t *testing.T) {
	inf := func(n int) *Design {
		d := designOf(ok(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))), ok(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))))
		for _, c := range []Covariance{d.sigma, d.psi}[n : n+1] {
			c.dense.matrix = mat.NewSymDense(2, []float64{math.Inf(1), 1, 1, math.Inf(1)})
		}
		return d
	}
	o := &optimizer{ctx: t.Context(), goal: Goal{LeastError, uniform(2, 1)}, frame: ok(newFrame(symmetric.RandomBasis(2, rand.NewPCG(517, 1)), uniform(2, 1))), n: 2, columns: 1}
	for _, mode := range []Mode{Unimodal, Equimodal, Bimodal} {
		o.recipe.Mode = mode
		if _, err := o.reachedBy(inf(0)); !errors.Is(err, errScale) {
			t.Errorf("%v: a Σ without numbers: error %v", mode, err)
		}
	}
	if _, err := o.reachedBy(inf(1)); !errors.Is(err, errScale) {
		t.Errorf("a Ψ without numbers: error %v", err)
	}
	if _, err := o.betweenOf(inf(1), interval.Int(1), interval.Int(1), ""); !errors.Is(err, errScale) {
		t.Errorf("between its value and another: error %v", err)
	}
	o.goal.Objective = MostInformation
	for n := range 2 {
		if _, err := (&pairs{optimizer: o}).reachedBy(inf(n)); !errors.Is(err, errScale) {
			t.Errorf("the information of pairs beside noise %d without numbers: error %v", n, err)
		}
	}
	if _, err := o.reachedBy(inf(0)); !errors.Is(err, errScale) {
		t.Errorf("the information of a Σ without numbers: error %v", err)
	}
}

// A signal that is positive semi-definite but for its own rounding, and not so beside noise far smaller than that, has no ratio to it.
func TestSignalsBesideSmallNoise(t *testing.T) {
	for _, order := range []int{2, 5, closeOrder + 1} {
		d := designOf(ok(NewIsotropic(order, 1)), ok(NewIsotropic(1, 1)))
		k := mat.NewSymDense(order, nil)
		k.SetSym(0, 0, 1e20) // of determinant −1e20·1e9 in the first two
		k.SetSym(0, 1, 1e18)
		k.SetSym(1, 1, 1e16-1e9)
		for name, f := range map[string]func(mat.Matrix) (evidence.Certified, error){"ratio": d.PNR, "logarithm": d.LogPNR} {
			if v, err := f(k); !errors.Is(err, ErrSignal) || !errors.Is(err, evidence.ErrParameter) || v != (evidence.Certified{}) {
				t.Errorf("the %s of order %d is %v, error %v", name, order, v, err)
			}
		}
	}
}

// A release of digits that never tell between which multiples of the grid a number lies is an error that names the entry, and no number.
func TestUndecidedEntries(t *testing.T) {
	const all = math.MaxUint64
	words := []uint64{0, all, all / 3, all, 1} // a normal number of 1/3, by the digits that follow
	third := func() *stattest.Spelled { return &stattest.Spelled{Words: slices.Concat(words, words), Tail: all / 3} }
	var z [2]sampling.Real
	sampling.Normals(z[:], third())
	for i := range z {
		if k, err := sampling.Floor(z[i].Number().Mul(sampling.Int(1 << 50))); err != nil || k.Int64() != (1<<50)/3 {
			t.Fatalf("a normal number of %v·2⁻⁵⁰, %v", k, err)
		}
	}
	fx, grid, unit := mat.NewDense(1, 1, nil), big.NewRat(2, 3), ok(NewIsotropic(1, 1))
	if out, err := designOf(unit, unit).Release(t.Context(), fx, grid, func(uint64) rand.Source { return &stattest.Spelled{Words: words, Tail: all / 3} }); out != nil || !errors.Is(err, sampling.ErrUndecided) || !says(err, "entry (0, 0)") {
		t.Errorf("half-way: %v, error %v", out, err)
	}
	noise := RankOne{Dimension: 1, Sensitivity: 1, Variance: 1}
	if out, err := noise.Release(t.Context(), fx, grid, third()); out != nil || !errors.Is(err, sampling.ErrUndecided) || !says(err, "entry (0, 0)") {
		t.Errorf("rank one, half-way: %v, error %v", out, err)
	}
}

// Wherever a release looks at its context it ends with that.
func TestReleasesStopEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(515, 1))
	dense, other := drawCovariance(t, 3, 1, rng), drawCovariance(t, 2, 1, rng)
	fx := mat.NewDense(3, 2, nil)
	_, err := designOf(dense, other).SimulateKronecker(mat.NewDense(2, 3, nil), rand.NewPCG(1, 1))
	if !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("an answer of another shape: %v", err)
	}
	for name, made := range map[string]func() *Design{ // anew, as a design keeps its roots
		"dense":    func() *Design { return designOf(ok(NewDense(dense.Matrix())), ok(NewDense(other.Matrix()))) },
		"refined":  func() *Design { return designOf(ok(NewDense(dense.Matrix())), ok(NewDense(other.Matrix()))) }, // of few digits at first
		"diagonal": func() *Design { return designOf(ok(NewIsotropic(3, 1)), ok(NewIsotropic(2, 1))) },
		"columns":  func() *Design { return designOf(ok(NewIsotropic(3, 1)), ok(NewDense(other.Matrix()))) },
	} {
		release := func(ctx context.Context) (*mat.Dense, error) {
			if d := made(); name == "refined" {
				p := d.joint(ok(newGrid(nil, d.Grid())))
				p.bits = 8
				return p.release(ctx, fx, rowStreams(1))
			}
			return made().Release(ctx, fx, nil, rowStreams(1))
		}
		whole := looks.After(t.Context(), math.MaxInt)
		if _, err := release(whole); err != nil {
			t.Fatal(err)
		}
		for n := range whole.Looks() {
			if out, err := release(looks.After(t.Context(), n)); out != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, over after %d of %d looks: %v, error %v", name, n, whole.Looks(), out, err)
			}
		}
	}
	noise := RankOne{Dimension: 6, Sensitivity: 1, Variance: 1}
	looks.Each(t, 1, func(ctx context.Context) error {
		_, err := noise.Release(ctx, fx, nil, rand.NewPCG(1, 1))
		return err
	})
	looks.Each(t, 1, func(ctx context.Context) error {
		_, err := ReleaseLaplace(ctx, fx, big.NewRat(1, 1), nil, rowStreams(1))
		return err
	})
}
