package matrices

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

func box(t testing.TB, n int, half ...float64) mvg.Box {
	t.Helper()
	b, err := mvg.NewBox(n, half)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// l1 sensitivities against differences that were drawn, and those that attain them.
func TestL1Sensitivity(t *testing.T) {
	ball, _ := mvg.NewBall(2, 3, mvg.BallOptions{S2: 5, Gamma: 5})
	added, _ := mvg.NewGram(4, 2, query.AddRemove, 0.5)
	replaced, _ := mvg.NewGram(4, 2, query.Replace, 0.5)
	list, _ := mvg.NewDifferences([]*mat.Dense{mat.NewDense(1, 2, []float64{1, -2}), mat.NewDense(1, 2, []float64{2.5, 0})})
	for _, c := range []struct {
		s      mvg.Sensitivity
		lo, hi float64
	}{{box(t, 9, 1, 10), 22, 22}, {ball, 5 * math.Sqrt(6), 5 * math.Sqrt(6)}, {added, 8, 8}, {replaced, 8, 8 * math.Sqrt2}, {list, 3, 3}} {
		got, err := L1Sensitivity(c.s)
		if err != nil || math.Abs(got.Lo-c.lo) > 1e-12 || math.Abs(got.Hi-c.hi) > 1e-12 {
			t.Errorf("%s: %v, %v; want [%v, %v]", c.s.Describe(), got, err, c.lo, c.hi)
		}
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 2000 {
		x, y := ballPoint(rng, 4, 2), ballPoint(rng, 4, 2)
		sum := 0.0
		for i := range 4 {
			for k := range 4 {
				sum += 0.5 * math.Abs(x[i]*x[k]-y[i]*y[k])
			}
		}
		if sum > 8*math.Sqrt2 {
			t.Fatalf("%v and %v differ by %v", x, y, sum)
		}
	}
}

func ballPoint(rng *rand.Rand, d int, norm float64) []float64 {
	x, square := make([]float64, d), 0.0
	for i := range x {
		x[i] = rng.NormFloat64()
		if rng.IntN(3) == 0 {
			x[i] = 0
		}
		square += x[i] * x[i]
	}
	for i := range x {
		x[i] *= norm / math.Sqrt(square+1e-300)
	}
	return x
}

// Upper triangles against pairs of records that were drawn, corners among them.
func TestUpperSensitivity(t *testing.T) {
	upper := func(x, y []float64) float64 {
		sum := 0.0
		for i := range x {
			for k := i; k < len(x); k++ {
				d := x[i]*x[k] - y[i]*y[k]
				sum += d * d
			}
		}
		return math.Sqrt(sum)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	for _, half := range [][]float64{nil, {1, 1, 1, 1}, {1, 2, 3}, {5}, {0.1, 3}} {
		for _, replaced := range []bool{false, true} {
			d := max(len(half), 1)
			if half == nil {
				d = 3
			}
			got, err := UpperSensitivity(d, 2, half, replaced, 1)
			if err != nil {
				t.Fatal(err)
			}
			most := 0.0
			for range 20000 {
				point := func() []float64 {
					if half == nil {
						return ballPoint(rng, d, 2)
					}
					x := make([]float64, d)
					for i, h := range half {
						switch rng.IntN(4) {
						case 0:
							x[i] = h * (2*rng.Float64() - 1)
						case 1:
							x[i] = -h
						case 2:
							x[i] = h
						}
					}
					return x
				}
				x, y := point(), make([]float64, d)
				if replaced {
					y = point()
				}
				most = math.Max(most, upper(x, y))
			}
			if most > got.Hi*(1+1e-12) || most < 0.9*got.Lo {
				t.Errorf("%v, replaced %v: %v, drawn %v", half, replaced, got, most)
			}
		}
	}
	for _, c := range []struct {
		d        int
		half     []float64
		replaced bool
		want     float64
	}{{3, nil, false, 4}, {3, nil, true, 4 * math.Sqrt2}, {1, nil, true, 4}, {4, []float64{1, 1, 1, 1}, true, 4}, {4, []float64{1, 1, 1, 1}, false, math.Sqrt(10)}} {
		if got, _ := UpperSensitivity(c.d, 2, c.half, c.replaced, 1); math.Abs(got.Lo-c.want) > 1e-12 || math.Abs(got.Hi-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestSymmetricGauss(t *testing.T) {
	eps, delta := epsilon(t, 1), 1e-3
	s, err := UpperSensitivity(3, 1, nil, false, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[Scaling]float64{Classic: 0.1 * math.Sqrt(2*math.Log(1250)), Tight: 0} {
		g, err := SymmetricGaussFor(3, s, eps, evidencetest.Delta(delta), form)
		if err != nil {
			t.Fatal(err)
		}
		d, err := g.Privacy().Delta(context.Background(), eps)
		_, hi := d.Bounds()
		if err != nil || hi > delta*(1+1e-12) || form == Tight && hi < delta*(1-1e-9) || want > 0 && math.Abs(g.Sigma-want) > 1e-12 {
			t.Errorf("%s: sigma %v, δ %v, %v", form, g.Sigma, d, err)
		}
		// Every entry on and above the diagonal has its own noise of the deviation.
		sum, src := 0.0, rand.NewPCG(4, 5)
		const draws = 4000
		for range draws {
			out, err := g.Simulate(mat.NewDense(3, 3, []float64{1, 2, 3, 2, 5, 6, 3, 6, 9}), src)
			if err != nil {
				t.Fatal(err)
			}
			a, b := out.At(0, 2)-3, out.At(2, 2)-9
			sum += a*a + b*b
		}
		if ratio := sum / (2 * draws) / (g.Sigma * g.Sigma); math.Abs(ratio-1) > 6/math.Sqrt(draws) {
			t.Errorf("%s: variance %v of that asked for", form, ratio)
		}
	}
}

// One feature is the Laplace pair's closed form, δ = 1 − e^{(ε − Δ/b)/2}; six share their budget;
// the tight scale is smaller than the classic one and has the δ asked for.
func TestLaplace(t *testing.T) {
	ctx := context.Background()
	eps := epsilon(t, 0.5)
	one, err := NewLaplace(box(t, 5, 1), 2) // Δ/b = 1
	if err != nil {
		t.Fatal(err)
	}
	d, err := one.Privacy().Delta(ctx, eps)
	want := 1 - math.Exp(-0.25)
	if lo, hi := d.Bounds(); err != nil || math.Abs(lo-want) > 1e-12 || math.Abs(hi-want) > 1e-12 {
		t.Errorf("δ(½) = %v, %v; want %v", d, err, want)
	}
	six := box(t, 248, 1, 1, 1, 1, 1, 1)
	classic, err := ClassicLaplace(six, epsilon(t, 1))
	if err != nil || classic.Scale != 12 {
		t.Errorf("%v, %v", classic, err)
	}
	if claim, ok := classic.Claimed(); !ok || claim.Value != 1 {
		t.Errorf("claimed %v", claim)
	}
	e, err := classic.Privacy().Epsilon(ctx, evidence.Delta{})
	if err != nil || math.Abs(e.Float()-1) > 1e-12 {
		t.Errorf("ε(0) = %v, %v", e, err)
	}
	gram, _ := mvg.NewGram(3, 1, query.Replace, 1)
	loose, err := TightLaplace(ctx, gram, epsilon(t, 1), evidencetest.Delta(1e-2))
	if err != nil || loose.Scale >= 3*math.Sqrt2 || loose.Scale < 3 {
		t.Errorf("%+v, %v", loose, err)
	}
	if _, ok := loose.Claimed(); ok {
		t.Error("something is claimed of a tight scale")
	}
}

func TestBadInput(t *testing.T) {
	ctx := context.Background()
	one, zero := epsilon(t, 1), evidence.Epsilon{}
	nan, inf := math.NaN(), math.Inf(1)
	s := box(t, 2, 1, 1)
	x := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	bad := mat.NewDense(2, 2, []float64{1, nan, 0, 1})
	ranked := mat.NewDense(2, 2, []float64{3, 6, 1, 2})
	wide := JL{Form: Threshold, Rows: 3, Width: 1, Move: 1}
	p, _ := NewPPCA(one, 1, false)
	n, _ := NewNet([]float64{1, 1}, 2, 3, Max, one)
	g, _ := NewSymmetricGauss(2, evidence.Certified{Lo: 1, Hi: 1}, 1)
	l, _ := NewLaplace(s, 1)
	law := bingham(t, 1, 0)
	only := func(_ any, err error) error { return err }
	for what, err := range map[string]error{
		"no rows":                      only(NewJL(Raised, 0, 1, 1)),
		"too many rows":                only(NewJL(Raised, 1<<21, 1, 1)),
		"width NaN":                    only(NewJL(Raised, 1, nan, 1)),
		"width 0":                      only(NewJL(Raised, 1, 0, 1)),
		"move infinite":                only(NewJL(Raised, 1, 1, inf)),
		"no form":                      only(NewJL("other", 1, 1, 1)),
		"published at ε = 0":           only(PublishedJL(Raised, 1, 1, zero, evidencetest.Delta(0.1))),
		"published beyond floats":      only(PublishedJL(Raised, 9, 1e308, one, evidencetest.Delta(0.1))),
		"exact at ε = 0":               only(ExactJL(ctx, Raised, 1, 1, zero, evidencetest.Delta(0.1))),
		"a zero transform":             only(JL{}.Privacy().Delta(ctx, one)),
		"ε of a zero transform":        only(JL{}.Privacy().Epsilon(ctx, evidencetest.Delta(0.1))),
		"private at δ = 0":             only(wide.IsPrivate(ctx, one, evidence.Delta{})),
		"a zero transform, private":    only(JL{}.IsPrivate(ctx, one, evidencetest.Delta(0.1))),
		"an entry NaN":                 wide.Check(bad),
		"rank below the threshold":     wide.Check(ranked),
		"fewer records than rows":      wide.Check(mat.NewDense(3, 2, []float64{9, 0, 0, 9, 9, 9})),
		"no matrix":                    wide.Check(nil),
		"an empty matrix":              wide.Check(new(mat.Dense)),
		"Bingham of 1×2":               only(NewBingham(mat.NewDense(1, 2, nil))),
		"Bingham of NaN":               only(NewBingham(bad)),
		"Bingham, not symmetric":       only(NewBingham(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))),
		"Bingham of a point":           only(NewBingham(diagonal(1e13, 0))),
		"Bingham of nothing":           only(NewBingham(nil)),
		"no draws":                     func() error { _, _, err := law.Simulate(0, rand.NewPCG(1, 1)); return err }(),
		"draws beyond memory":          func() error { _, _, err := law.Simulate(1<<27, rand.NewPCG(1, 1)); return err }(),
		"constant beyond the series":   only(bingham(t, 1e6, 0).LogConstant(ctx)),
		"PPCA at ε = 0":                only(NewPPCA(zero, 1, false)),
		"PPCA, norm −1":                only(NewPPCA(one, -1, false)),
		"PPCA of long records":         only(p.Law(mat.NewDense(2, 2, []float64{1, 1, 1, 0}))),
		"PPCA of NaN":                  only(p.Law(bad)),
		"witness in one dimension":     only(p.Witness(ctx, 1, 9)),
		"witness of one record":        only(p.Witness(ctx, 2, 1)),
		"net of nothing":               only(NewNet(nil, 1, 2, Max, one)),
		"net of one level":             only(NewNet([]float64{1}, 1, 1, Max, one)),
		"net of half-width 0":          only(NewNet([]float64{0}, 1, 2, Max, one)),
		"net of no record":             only(NewNet([]float64{1}, 0, 2, Max, one)),
		"net beyond memory":            only(NewNet([]float64{1}, 1<<30, 1<<20, Max, one)),
		"net of no quality":            only(NewNet([]float64{1}, 1, 2, "least", one)),
		"net at ε = 0":                 only(NewNet([]float64{1}, 1, 2, Max, zero)),
		"net too large to write down":  only(Net{[]float64{1, 1}, 50, 2, Max, one, false}.Mechanism(ctx)),
		"net, data of another shape":   only(n.Simulate(mat.NewDense(1, 2, nil), rand.NewPCG(1, 1))),
		"net, data outside":            only(n.Simulate(mat.NewDense(2, 2, []float64{0, 0, 0, 1.5}), rand.NewPCG(1, 1))),
		"net, data NaN":                only(n.Simulate(bad, rand.NewPCG(1, 1))),
		"no sensitivity, Laplace":      only(NewLaplace(nil, 1)),
		"scale 0":                      only(NewLaplace(s, 0)),
		"Laplace at ε = 0":             only(ClassicLaplace(s, zero)),
		"tight Laplace at δ = 0":       only(TightLaplace(ctx, s, one, evidence.Delta{})),
		"Laplace, another shape":       only(l.Simulate(mat.NewDense(1, 2, nil), rand.NewPCG(1, 1))),
		"Laplace, NaN":                 only(l.Simulate(bad, rand.NewPCG(1, 1))),
		"order 0":                      only(UpperSensitivity(0, 1, nil, false, 1)),
		"norm NaN":                     only(UpperSensitivity(2, nan, nil, false, 1)),
		"half-widths of another order": only(UpperSensitivity(2, 1, []float64{1}, false, 1)),
		"half-width −1":                only(UpperSensitivity(1, 1, []float64{-1}, false, 1)),
		"scale −1":                     only(UpperSensitivity(1, 1, nil, false, -1)),
		"sigma 0":                      only(NewSymmetricGauss(2, evidence.Certified{Lo: 1, Hi: 1}, 0)),
		"noise for no change":          only(SymmetricGaussFor(2, evidence.Certified{}, one, evidencetest.Delta(0.1), Tight)),
		"symmetric, another order":     only(g.Simulate(mat.NewDense(3, 3, nil), rand.NewPCG(1, 1))),
		"symmetric, is not":            only(g.Simulate(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), rand.NewPCG(1, 1))),
	} {
		if !errors.Is(err, parameter.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ExactJL(ctx, Raised, 1, 1, one, evidencetest.Delta(1e-200)); !errors.Is(err, ErrUnreached) {
		t.Errorf("δ = 1e-200: %v", err)
	}
	if err := (JL{Form: Raised, Rows: 3, Width: 1, Move: 1}).Check(x); err != nil {
		t.Error(err)
	}
	if err := (JL{Form: Threshold, Rows: 3, Width: 0.99, Move: 1}).Check(x); err != nil {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := ExactJL(stopped, Threshold, 5, 1, one, evidencetest.Delta(0.1)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// No law whose losses are at most ε₀ has δ(ε) above (e^ε₀ − e^ε)/(1 + e^ε₀), as near ε₀ as one may look: the
// largest loss bounds the upper end, and leaves the lower one below it.
func TestLaplaceNearTheLargestLoss(t *testing.T) {
	l := must.For(NewLaplace(box(t, 1, 0.5, 0.25, 0.125), 1))(t) // ε₀ = 1.75
	for _, off := range []float64{1e-2, 1e-4, 1e-6, 1e-9, 1e-12} {
		d := must.For(l.Privacy().Delta(t.Context(), epsilon(t, 1.75-off)))(t)
		lo, hi := d.Bounds()
		if most := -math.Exp(1.75) * math.Expm1(-off) / (1 + math.Exp(1.75)); !(lo >= 0 && lo <= hi && hi <= most*(1+1e-3)) {
			t.Errorf("%v below the largest loss: [%v, %v], want at most %v", off, lo, hi, most)
		}
	}
}
