package mvg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Designs, fillings and recipes say of themselves what they were made of.
func TestWhatTheySayOfThemselves(t *testing.T) {
	eps := ok(evidence.NewEpsilon("eps", 1.5))
	r := Recipe{Epsilon: eps, Delta: evidencetest.Delta(0.01), Mode: Equimodal}
	gram := ok(NewGram(2, 1, query.Replace, 0.5))
	tight := ok(NewTight(t.Context(), gram, r))
	if c, ok := tight.ClaimedEpsilon(); !ok || c.Value != 1.5 || c.Epsilon != eps || c.Source != askedFor {
		t.Errorf("a tight design claims %+v (%v)", c, ok)
	}
	for theorem := Theorem2; theorem <= Theorem3; theorem++ {
		claim := ok(NewClaim(t.Context(), gram, theorem, ZetaRoot, r))
		if c, ok := claim.ClaimedEpsilon(); !ok || c.Value != 1.5 || !says(errors.New(c.Source), []string{"Theorem 2", "Theorem 3"}[theorem-Theorem2]) {
			t.Errorf("Theorem %d claims %+v (%v)", theorem, c, ok)
		}
		squares := claim.PrecisionSquares()
		if v := claim.PrecisionBudget.Value; claim.Theorem != theorem || v != claim.Constants.Norm || math.Abs(squares.Hi-v) > 1e-13*v {
			t.Errorf("Theorem %d has the budget %v, of which %+v is spent", claim.Theorem, v, squares)
		}
	}
	two := ok(NewIsotropic(2, 1))
	if c, ok := ok(NewDesign(t.Context(), gram, two, two)).ClaimedEpsilon(); ok {
		t.Errorf("a design of given covariances claims %+v", c)
	}
	if c := (Constants{Norm: 6}); c.UnimodalBudget(3) != 12 || c.EquimodalBudget() != 6 {
		t.Errorf("budgets %v, %v", c.UnimodalBudget(3), c.EquimodalBudget())
	}
	w := ok(Waterfill([]float64{1, 2}, 3, L1))
	if v := w.MutualInformation(); v.Lo != w.Value.Lo/2 || v.Hi != w.Value.Hi/2 || v.Method != w.Value.Method {
		t.Errorf("half of %+v is %+v", w.Value, v)
	}
	noise := ok(NewRankOne(5, 1, eps, evidencetest.Delta(1e-3)))
	if v := noise.ClaimedError(); v.Value != noise.Variance || v.Source != rankOneSource {
		t.Errorf("an error of %+v", v)
	}
	if v, ok := noise.ClaimedDelta(); !ok || v.Value != 1e-3 || v.Source != rankOneSource {
		t.Errorf("δ = %+v (%v)", v, ok)
	}
	if v, ok := (RankOne{Dimension: 5, Sensitivity: 1, Variance: 1}).ClaimedDelta(); ok {
		t.Errorf("noise of a given variance claims δ = %+v", v)
	}
	box := ok(NewBox(1, []float64{1, 2}))
	h := box.HalfWidths()
	if len(h) != 2 || h[0] != 1 || h[1] != 2 {
		t.Errorf("half-widths %v", h)
	}
	if h[0] = 7; box.HalfWidths()[0] != 1 {
		t.Error("half-widths are shared")
	}
}

// PNR of no signal is 1, and beyond order 64 it is what logarithms of determinants in float64
// say.
func TestPNRAtTheEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(106, 1))
	spd := func(n int) *mat.SymDense {
		a := gramOf(normalMatrix(n, n, rng))
		for i := range n {
			a.SetSym(i, i, a.At(i, i)+float64(n))
		}
		return a
	}
	sigma, psi := spd(closeOrder+2), spd(2)
	for _, c := range []struct {
		rows  *mat.SymDense
		order int
	}{{sigma, closeOrder + 2}, {spd(closeOrder/2 + 1), closeOrder + 2}} {
		m := c.rows.SymmetricDim()
		d := ok(NewDesign(t.Context(), ok(NewBall(m, 2, BallOptions{S2: 1, Gamma: 1})), ok(NewDense(c.rows)), ok(NewDense(psi))))
		for _, order := range []int{m, 2 * m} {
			if order > 2*closeOrder {
				continue
			}
			none := ok(d.LogPNR(mat.NewDense(order, order, nil)))
			if one := ok(d.PNR(mat.NewDense(order, order, nil))); none.Lo != 0 || none.Hi != 0 || one.Lo != 1 || one.Hi != 1 {
				t.Errorf("no signal of order %d: PNR %+v, its logarithm %+v", order, one, none)
			}
			k := spd(order)
			noise, sum := mat.DenseCopyOf(c.rows), mat.DenseCopyOf(k)
			if order != m {
				noise.Reset()
				noise.Kronecker(psi, c.rows)
			}
			sum.Add(sum, noise)
			over, _ := mat.LogDet(sum)
			under, _ := mat.LogDet(noise)
			if got := ok(d.LogPNR(k)); got.Lo > (over-under)*(1+1e-12) || got.Hi < (over-under)*(1-1e-12) || got.Hi-got.Lo > 1e-9 {
				t.Errorf("order %d: logarithm %+v, want %v", order, got, over-under)
			}
			if got := ok(d.MutualInformation(k)); got.Lo > (over-under)/2*(1+1e-12) || got.Hi < (over-under)/2*(1-1e-12) {
				t.Errorf("order %d: information %+v, want %v", order, got, (over-under)/2)
			}
		}
	}
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{{1, 1, true}, {0, 0, false}, {-1, 1, false}, {1, 1 + 0x1p-52, false}, {-1 - 0x1p-52, -1, false}, {0, 1, false}, {3, 3, true}, {-2, -2, true}} {
		if got := narrow(interval.Between(c.lo, c.hi)); got != c.want {
			t.Errorf("[%v, %v] is narrow: %v", c.lo, c.hi, got)
		}
	}
}

// Lists whose differences are all but parallel have an optimum, those that are parallel none, and
// a long list ends with its context.
func TestSpannedToTheLast(t *testing.T) {
	for _, angle := range []float64{1e-3, 1e-7, 1e-12, 0} {
		for mode := Unimodal; mode <= Bimodal; mode++ {
			list := ok(NewDifferences([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 1, 0}), mat.NewDense(2, 2, []float64{1, 0, 1 + angle, angle})}))
			o := &optimizer{ctx: t.Context(), s: list, recipe: Recipe{Mode: mode}}
			if err := o.spanned(list); (err != nil) != (angle == 0 && mode != Equimodal) || err != nil && !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("mode %d, angle %g: error %v", mode, angle, err)
			}
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	eye := symmetric.Eye(2)
	o := &optimizer{ctx: stopped, frame: ok(newFrame(nil, []float64{1, 1}))}
	if _, err := o.overList(Differences{2, 2, []*mat.Dense{eye, eye}}, exactly([]float64{1, 1})); !errors.Is(err, context.Canceled) {
		t.Errorf("a list of two: error %v", err)
	}
	if f, err := newFrame(mat.NewDense(2, 2, []float64{1, 1, 0, 1}), []float64{1, 1}); f != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a frame of skew directions: %v, error %v", f, err)
	}
	for _, c := range []struct {
		row  []float64
		want bool
	}{{[]float64{1, 2}, true}, {[]float64{1, 2 + 1e-13}, true}, {[]float64{1, 2.001}, false}, {[]float64{1.001, 2}, false}} {
		if got := hasRow([][]float64{{3, 4}, {1, 2}}, c.row); got != c.want {
			t.Errorf("%v is among the rows: %v", c.row, got)
		}
	}
}

// A direction is withheld where it has next to no precision and no information either.
func TestWithheldDirections(t *testing.T) {
	for _, c := range []struct {
		root, signal float64
		want         int
	}{{1e-6, 1, 1}, {1e-6, 1e8, 0}, {1e-3, 1, 0}, {1, 1, 0}} {
		g := &informed{signals: []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, c.signal})}}
		if got := g.withheld(mat.NewDense(2, 2, []float64{1, 0, 0, c.root})); got != c.want {
			t.Errorf("%+v: %d directions are withheld", c, got)
		}
	}
}

// Beyond 2²⁰ vertices the bound on them is one of diagonals, and holds a good vertex.
func TestSignMaximumBeyondEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(106, 2))
	m := maxVertexBits + 3
	q := gramOf(normalMatrix(m, m, rng))
	o := &optimizer{ctx: t.Context()}
	_, hi := ok(o.signMaximum(symmetric.Exactly(q))).Bounds()
	best, bound := form(q, localMaxima(q)[0]), diagonalBound(q)
	if hi < best || hi < bound*(1-1e-12) || hi > bound*(1+1e-12) {
		t.Errorf("at most %v at vertices, of which one reaches %v, want %v", hi, best, bound)
	}
}
