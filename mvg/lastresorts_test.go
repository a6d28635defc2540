package mvg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

func diagonalOf(v ...float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDiagDense(len(v), v)) }

// optimizerOf returns a search for differences of as many rows as there are weights, with directions w.
func optimizerOf(s Sensitivity, objective Objective, mode Mode, w mat.Matrix, weights ...float64) *optimizer {
	return &optimizer{
		ctx: nil, s: s, goal: Goal{objective, weights}, recipe: Recipe{Mode: mode},
		frame: ok(newFrame(w, weights)), mu: evidence.Certified{Lo: 1, Hi: 1}, n: float64(len(weights)), columns: 1,
	}
}

// What fails says so itself: nothing goes on with what it should have had, to fail elsewhere or not at all.
func TestFailuresSayTheirOwn(t *testing.T) {
	one, eye := interval.Int(1), symmetric.Eye(2)
	e := symmetric.Exactly
	w := symmetric.RandomBasis(2, rand.NewPCG(4, 1))
	list := func(d ...*mat.Dense) Differences { m, n := d[0].Dims(); return Differences{m, n, d} }
	of := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		o := optimizerOf(s, objective, mode, nil, 1, 2)
		o.ctx = t.Context()
		return o
	}
	turned := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		o := of(s, objective, mode)
		o.frame = ok(newFrame(w, []float64{1, 2}))
		return o
	}
	pairsOf := func(o *optimizer, d *mat.Dense) *pairs {
		rows := make([]int, len(o.goal.Weights))
		for i := range rows {
			rows[i] = i
		}
		return &pairs{optimizer: o, rows: rows, gains: o.goal.Weights, list: []*mat.Dense{d}, exact: []*symmetric.Enclosure{e(d)}}
	}
	wrong := mat.NewDense(1, 1, []float64{1}) // directions of another order
	nan := math.NaN()
	noNumbers := mat.NewDense(3, 3, []float64{nan, nan, nan, nan, nan, nan, nan, nan, nan})
	some := mat.NewDense(2, 2, []float64{1, nan, 0, 1})
	beyond := []float64{math.Inf(1), math.Inf(-1), nan}
	box := ok(NewBox(2, []float64{1, 2}))
	unit := ok(NewIsotropic(2, 1))
	second := func(_ any, err error) error { return err }
	third := func(_, _ any, err error) error { return err }
	line := func(v ...float64) []interval.Interval { return exactly(v) }
	row := func(v ...float64) oracle {
		return oracle{func([]float64) ([]interval.Interval, error) { return line(v...), nil }, func(int) ([]interval.Interval, error) { return line(v...), nil }}
	}
	ball := ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	eps := ok(evidence.NewEpsilon("eps", 1))
	steep := ok(evidence.NewEpsilon("eps", 1e21))

	// Exactly errScale, with no words of another.
	for name, do := range map[string]func() (nothing bool, err error){
		"a precision beyond float64": func() (bool, error) {
			out, err := of(list(diagonalOf(1e-155, 1e-155)), LeastError, Unimodal).dense(e(eye), nil, one, true, 0, "")
			return out == nil, err
		},
		"the spectrum of one": func() (bool, error) {
			for _, v := range beyond {
				if a, b, err := spectral(mat.NewSymDense(2, []float64{v, 0, 0, 1})); a != nil || b != nil || err != errScale {
					return false, err
				}
			}
			return true, errScale
		},
		"a tangent of a factor beyond float64": func() (bool, error) {
			return true, third(tangent(e(diagonalOf(1e-300, 1e-300)), e(diagonalOf(1e300, 1e300))))
		},
		"no multipliers": func() (bool, error) { return true, second(of(ball, MostInformation, Unimodal).informedLimit(nil, nil)) },
		"information beyond float64, free axes": func() (bool, error) {
			out, err := of(list(diagonalOf(1e-100, 1e-100)), MostInformation, Unimodal).freely(1e200, 1e200)
			return out == nil, err
		},
		"information below float64, free axes": func() (bool, error) {
			out, err := of(list(diagonalOf(1e100, 1e100)), MostInformation, Unimodal).freely(1e-200, 1e-200)
			return out == nil, err
		},
		"a chart without a start": func() (bool, error) {
			out, err := of(list(eye), LeastError, Unimodal).geodesic(&geodesic{mode: Unimodal}, []*mat.Dense{diagonalOf(1, 0)}, nil, true)
			return out == nil, err
		},
		"a certificate of no numbers": func() (bool, error) {
			out, err := turned(list(eye), LeastError, Unimodal).geodesic(&geodesic{mode: Unimodal}, []*mat.Dense{some, eye}, nil, true)
			return out == nil, err
		},
		"a ceiling beyond float64": func() (bool, error) {
			return true, second((&geodesic{mode: Unimodal}).certified(ok(newFrame(nil, []float64{1, 2})), []*mat.Dense{eye}, diagonalOf(1e120, 1e120), nil, []float64{1}))
		},
		"the columns' beyond float64": func() (bool, error) {
			return true, second((&geodesic{mode: Bimodal}).certified(ok(newFrame(nil, []float64{1, 2})), []*mat.Dense{eye}, eye, diagonalOf(1e120, 1e120), []float64{1}))
		},
		"a box of no P, Ψ = Σ": func() (bool, error) {
			return true, second(of(box, LeastError, Equimodal).overVertices(box, e(mat.NewDense(2, 2, nil))))
		},
		"a form beyond float64 beside its diagonal": func() (bool, error) {
			q := symmetric.Eye(maxVertexBits + 2)
			q.Scale(1e-300, q)
			q.Set(0, 1, 1e300)
			q.Set(1, 0, 1e300)
			return true, second(of(box, LeastError, Unimodal).signMaximum(e(q)))
		},
		"a list with no numbers": func() (bool, error) {
			l := list(some, eye)
			return true, second(of(l, LeastError, Unimodal).overList(l, line(1, 1)))
		},
		"a price of nothing": func() (bool, error) {
			o := optimizerOf(box, MostInformation, Equimodal, nil, 1e308, 1e308)
			k, err := o.axisRows(box).solve(1e299, true, false)
			if err != nil {
				return false, fmt.Errorf("no share: %w", err)
			}
			return true, second(k.prove())
		},
		"a price below float64": func() (bool, error) {
			o := optimizerOf(box, MostInformation, Equimodal, eye, 5e-324, 5e-324).withContext(t)
			k, err := o.vertexRows(box, o.boxOracle(box)).solve(1e306, true, false)
			if err != nil {
				return false, fmt.Errorf("no share: %w", err)
			}
			return true, second(k.prove())
		},
		"vertices of nothing": func() (bool, error) {
			k, err := turned(box, MostInformation, Equimodal).vertexRows(box, row(0, 0)).solve(1, false, false)
			return k == nil, err
		},
		"a factor without numbers": func() (bool, error) {
			p, v, err := pairsOf(optimizerOf(ball, MostInformation, Bimodal, nil, 1, 2, 3), symmetric.Eye(3)).forColumns(noNumbers)
			return p == nil && v == 0, err
		},
		"pairs beyond float64": func() (bool, error) {
			l := list(diagonalOf(1e150, 1e150))
			o := of(l, MostInformation, Bimodal)
			o.mu = evidence.Certified{Lo: 1e-200, Hi: 1e-200}
			out, err := o.pairs(l)
			return out == nil, err
		},
		"gains beyond the noise": func() (bool, error) {
			d := designOf(ok(NewIsotropic(2, 3e-300)), unit)
			return true, second(pairsOf(optimizerOf(ball, MostInformation, Bimodal, nil, 1e308, 1e308), eye).reachedBy(d))
		},
		"a design beside its directions": func() (bool, error) {
			s := pairsOf(turned(list(eye), MostInformation, Bimodal), eye)
			out, err := s.design([]float64{1, 1e-3}, eye, one)
			return out == nil, err
		},
	} {
		var nothing bool
		err := parallel.Guard(func() (err error) { nothing, err = do(); return err })
		if err != errScale || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %v", name, nothing, err, errScale)
		}
	}

	// Others name what it is.
	skew := mat.NewDense(2, 2, []float64{1, 1, 0, 1})
	zero := evidence.Epsilon{}
	withDirections := func(o *optimizer) *optimizer { o.recipe.Directions = wrong; return o }
	for name, c := range map[string]struct {
		do   func() (nothing bool, err error)
		want string
	}{
		"a singular P": {func() (bool, error) {
			out, err := of(list(eye), MostInformation, Unimodal).dense(e(diagonalOf(1, 0)), nil, one, true, 0, "")
			return out == nil, err
		}, "the best precision of Σ is not proven positive definite"},
		"an ill-conditioned P": {func() (bool, error) {
			out, err := of(list(eye), LeastError, Unimodal).dense(e(product(w, diagonalOf(1, 1e-12))), nil, one, true, 0, "")
			return out == nil, err
		}, "mvg: the best Σ in float64: not positive definite"},
		"an ill-conditioned Q": {func() (bool, error) {
			at := &factored{of(list(eye), LeastError, Bimodal), e(eye), e(product(symmetric.RandomBasis(3, rand.NewPCG(4, 2)), diagonalOf(1, 1e-6, 1e-12))), one}
			sigma, _, err := at.covariances()
			return sigma == nil, err
		}, "mvg: the best Ψ in float64: not positive definite"},
		"variances beyond float64": {func() (bool, error) {
			out, err := of(list(diagonalOf(1e160, 1e160)), LeastError, Unimodal).finish([]float64{1, 1}, one, true, "")
			return out == nil, err
		}, "variances[0] = +Inf"},
		"variances beyond float64, Ψ = Σ": {func() (bool, error) {
			out, err := withDirections(of(list(eye), LeastError, Equimodal)).finish([]float64{1, 1}, one, true, "")
			return out == nil, err
		}, "directions are 1×1"},
		"no design at a scale": {func() (bool, error) {
			d, err := of(list(eye), LeastError, Unimodal).scaled(func(float64) (Covariance, Covariance, error) {
				return unit, unit, errors.New("none at this scale")
			})
			return d == nil, err
		}, "none at this scale"},
		"pairs in directions that are none": {func() (bool, error) {
			out, err := pairsOf(withDirections(of(list(eye), MostInformation, Bimodal)), eye).design([]float64{1, 1}, eye, one)
			return out == nil, err
		}, "directions are 1×1"},
		"planes that miss a direction": {func() (bool, error) {
			p, _, err := of(list(eye), LeastError, Unimodal).planes(row(1, 0))
			return p == nil, err
		}, "no difference touches row direction 1"},
		"rows that nothing touches": {func() (bool, error) {
			out, err := of(list(mat.NewDense(2, 2, []float64{1, 2, 1, 2})), LeastError, Unimodal).solve()
			return out == nil, err
		}, "no difference touches some direction of the rows;"},
		"rows and columns that nothing touches": {func() (bool, error) {
			l := list(diagonalOf(1, 0))
			return true, of(l, LeastError, Equimodal).spanned(l)
		}, "no difference touches some direction of the rows and columns;"},
		"columns that nothing touches": {func() (bool, error) {
			l := list(mat.NewDense(1, 2, []float64{1, 1}))
			return true, optimizerOf(l, LeastError, Bimodal, nil, 1).spanned(l)
		}, "no difference touches some direction of the columns;"},
		"weights beyond 1e100": {func() (bool, error) {
			g := ok(NewGram(2, 1, query.Replace, 1))
			out, err := optimizerOf(g, MostInformation, Bimodal, nil, 1, 1e200).withContext(t).gramInformation(g, one)
			return out == nil, err
		}, "weights[1] = 1e+200"},
		"skew directions": {func() (bool, error) {
			out, err := Optimal(t.Context(), ball, Goal{}, Recipe{Epsilon: eps, Delta: evidencetest.Delta(0.1), Directions: skew})
			return out == nil, err
		}, "directions are not orthonormal: ‖WᵀW − I‖ = 1.73, want at most 1e-8"},
		"an ε beyond the curve": {func() (bool, error) {
			out, err := Optimal(t.Context(), ball, Goal{}, Recipe{Epsilon: steep, Delta: evidencetest.Delta(0.1)})
			return out == nil, err
		}, "eps = 1e+21, want"},
		"an ε beyond it, tight": {func() (bool, error) {
			d, err := NewTight(t.Context(), ball, Recipe{Epsilon: steep, Delta: evidencetest.Delta(0.1)})
			return d == nil, err
		}, "eps = 1e+21, want"},
		"a recipe without ε": {func() (bool, error) { return true, second(Recipe{Delta: evidencetest.Delta(0.1)}.check(2, 2)) }, "eps = 0"},
		"a recipe without δ": {func() (bool, error) { return true, second(Recipe{Epsilon: eps}.check(2, 2)) }, "delta = 0"},
		"a claim by no theorem": {func() (bool, error) {
			c, err := NewClaim(t.Context(), ball, 9, ZetaRoot, Recipe{Epsilon: eps, Delta: evidencetest.Delta(0.1)})
			return c == nil, err
		}, "Theorem 9, want 2 or 3"},
		"rank one without ε": {func() (bool, error) {
			r, err := NewRankOne(3, 1, zero, evidencetest.Delta(0.1))
			return r == RankOne{}, err
		}, "eps = 0"},
		"rank one without δ": {func() (bool, error) { r, err := NewRankOne(3, 1, eps, evidence.Delta{}); return r == RankOne{}, err }, "delta = 0"},
		"rank one of no distance": {func() (bool, error) {
			r, err := NewRankOne(3, 0, eps, evidencetest.Delta(0.1))
			return r == RankOne{}, err
		}, "sensitivity = 0"},
		"a diagonal of no numbers": {func() (bool, error) {
			p, err := Box{halfWidths: []float64{nan, 1}}.dominated(ok(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))))
			return p == nil, err
		}, "the diagonal that bounds the box has no numbers"},
		"noise below float64": {func() (bool, error) {
			tiny, k := ok(NewIsotropic(2, 1e-320)), symmetric.Multiple(4, 1)
			k.SetSym(0, 1, 0.5)
			v, err := designOf(tiny, tiny).PNR(k)
			return v == evidence.Certified{}, err
		}, "eigenvalues of the signal covariance did not converge"},
		"a signal below 0 beside noise": {func() (bool, error) {
			v, err := designOf(unit, unit).PNR(mat.NewSymDense(2, []float64{1e20, 1, 1, -1e9}))
			return v == evidence.Certified{}, err
		}, "with the noise added it is not proven positive definite: entry (1, 1) is -1e+09"},
	} {
		var nothing bool
		err := parallel.Guard(func() (err error) { nothing, err = c.do(); return err })
		if !says(err, c.want) || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %q", name, nothing, err, c.want)
		}
	}
}

func (o *optimizer) withContext(t *testing.T) *optimizer { o.ctx = t.Context(); return o }

// freely seeks the most information of a list with weights, over all directions.
func (o *optimizer) freely(weights ...float64) (*Optimum, error) {
	o.goal.Weights, o.recipe.FreeAxes = weights, true
	o.frame = ok(newFrame(nil, weights))
	return o.solve()
}

// An ill-conditioned Ψ of pairs is refused as that where float64 does not hold it, and has a design
// where it does.
func TestIllConditionedPairs(t *testing.T) {
	refused := 0
	for seed := range uint64(12) {
		d := symmetric.Eye(3)
		o := optimizerOf(ok(NewDifferences([]*mat.Dense{d})), MostInformation, Bimodal, nil, 1, 2, 3).withContext(t)
		s := &pairs{optimizer: o, rows: []int{0, 1, 2}, gains: o.goal.Weights, list: []*mat.Dense{d}, exact: []*symmetric.Enclosure{symmetric.Exactly(d)}}
		c := product(symmetric.RandomBasis(3, rand.NewPCG(61, seed)), diagonalOf(1e11, 1e5, 1e-2))
		out, err := s.design([]float64{1, 1, 1}, c, interval.Int(1000))
		if says(err, "mvg: the best Ψ: not positive definite") && out == nil {
			refused++
		} else if err != nil || out == nil {
			t.Errorf("seed %d: %v, error %v", seed, out, err)
		}
	}
	if refused == 0 {
		t.Error("none is refused")
	}
}

// A covariance that is positive definite, but whose roots in float64 miss it, is refused as that: L of
// ones below a diagonal of ones has an inverse of 2ⁿ, and LDLᵀ of small whole numbers is exact.
func TestRootsThatMissTheirCovariance(t *testing.T) {
	for _, c := range []struct {
		order   int
		refused bool
	}{{8, false}, {40, true}} {
		l, d := symmetric.Eye(c.order), make([]float64, c.order)
		for i := range d {
			d[i] = float64(2 + i%2)
			for j := range i {
				l.Set(i, j, -1)
			}
		}
		a := product(product(l, diagonalOf(d...)), l.T())
		v, err := NewDense(a)
		if c.refused != says(err, "its condition is such that draws in float64 could have a covariance") || c.refused != (v.Order() == 0) {
			t.Errorf("order %d: %v, error %v", c.order, v.Order(), err)
		}
	}
}

// Whether differences span the rows and columns does not depend on their unit.
func TestSpansHaveNoUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 2))
	draw := func(scales ...float64) Differences {
		var out []*mat.Dense
		for _, s := range scales {
			d := normalMatrix(2, 2, rng)
			d.Scale(s, d)
			out = append(out, d)
		}
		return Differences{2, 2, out}
	}
	for _, scales := range [][]float64{{1e-300}, {1e-200, 1e-200}, {1e200}, {1e300, 1e-300}, {0, 1e-290}} {
		for mode := Unimodal; mode <= Bimodal; mode++ {
			d := draw(scales...)
			if err := optimizerOf(d, LeastError, mode, nil, 1, 1).spanned(d); err != nil {
				t.Errorf("scales %v, mode %d: %v", scales, mode, err)
			}
			for _, a := range d.list {
				a.SetRow(1, []float64{a.At(0, 0), a.At(0, 1)})
				a.SetCol(1, []float64{a.At(0, 0), a.At(1, 0)})
			}
			if err := optimizerOf(d, LeastError, mode, nil, 1, 1).spanned(d); !says(err, "no difference touches some direction") {
				t.Errorf("scales %v, mode %d, of rank one: %v", scales, mode, err)
			}
		}
	}
}

// A bound over all shares fails where that of any knot does.
func TestSharesFailWithAnyKnot(t *testing.T) {
	mine := errors.New("mine")
	for at := range 4 {
		made := func(k int, share float64) *knot {
			return &knot{share: share, value: 1, surplus: 1, prove: func() (proof, error) {
				if k == at {
					return proof{}, mine
				}
				return proof{interval.Int(1), interval.Int(1), interval.Int(1)}, nil
			}}
		}
		if v, err := certifiedShares(made(0, 0.5), made(1, 2), []*knot{made(2, 0.5), made(3, 2)}); err != mine || v != (interval.Interval{}) {
			t.Errorf("knot %d fails: %v, error %v", at, v, err)
		}
	}
}

// The whitener of a covariance is the inverse of a root, whatever the scales of its rows.
func TestWhitenersOfAnyScale(t *testing.T) {
	for _, s := range [][2]float64{{1, 1}, {1e-150, 1e150}, {1e-153, 1e153}, {1e153, 1e-153}} {
		a := mat.NewSymDense(2, []float64{2 * s[0] * s[0], s[0] * s[1], s[0] * s[1], 2 * s[1] * s[1]})
		w := whitener(ok(NewDense(a)))
		// In the unit of the rows, which are apart by up to 1e306.
		w.Apply(func(_, j int, v float64) float64 { return v * s[j] }, w)
		if got := product(product(w, mat.NewSymDense(2, []float64{2, 1, 1, 2})), w.T()); !mat.EqualApprox(got, symmetric.Eye(2), 1e-14) {
			t.Errorf("scales %v: a whitened covariance of %v", s, mat.Formatted(got))
		}
	}
}

// What a worker draws or computes as it panics is the caller's panic.
func TestFillingPanicsWithItsRows(t *testing.T) {
	err := parallel.Guard(func() error {
		fillRows(make([]float64, 4), 2, 2, func(i int) float64 { panic("mine") }, nil, rand.NewPCG(1, 1))
		return nil
	})
	if !says(err, "mine") {
		t.Errorf("error %v", err)
	}
}
