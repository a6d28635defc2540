package matrices_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

const ppcaSource = "Chaudhuri, Sarwate and Sinha 2013, Theorem 6 as it is cited"

func diagonal(v ...float64) *mat.Dense {
	d := mat.NewDense(len(v), len(v), nil)
	for i, x := range v {
		d.Set(i, i, x)
	}
	return d
}

func bingham(t testing.TB, v ...float64) *matrices.Bingham {
	return must.Be(matrices.NewBingham(diagonal(v...)))
}

// Acceptance, constant and moment agree with mpmath's quadrature over the circle and the sphere.
func TestBinghamByQuadrature(t *testing.T) {
	for _, c := range []struct {
		values                   []float64
		acceptance, constant, at float64
	}{
		{[]float64{0, -0.1}, 0.999376654047675, -0.049375097629132, -0.0487503904623095},
		{[]float64{0, -1}, 0.949856974603005, -0.438450280814519, -0.378750193709599},
		{[]float64{0, -10}, 0.693766355245136, -1.69531822417747, -0.533084314779574},
		{[]float64{0, -300}, 0.658843621013947, -3.42342004964814, -0.500838947575817},
		{[]float64{0, -1, -2}, 0.9261989147008, -0.8691185995608, -0.7429728441699},
		{[]float64{0, -5, -20}, 0.606060745098, -2.912156662103, -1.106600086267},
		{[]float64{0, -0.5, -100}, 0.7877108943039, -2.656705636148, -0.7191446636611},
	} {
		b := bingham(t, c.values...)
		ctx := context.Background()
		rate := must.Be(b.Acceptance(ctx))
		constant, _ := b.LogConstant(ctx)
		moment, _ := b.Moment(ctx)
		for _, n := range []struct {
			what   string
			lo, hi float64
			want   float64
		}{{"acceptance", rate.Lo, rate.Hi, c.acceptance}, {"ln constant", constant.Lo, constant.Hi, c.constant}, {"moment", moment.Lo, moment.Hi, c.at}} {
			if !(n.lo <= n.want+2e-12 && n.hi >= n.want-2e-12 && n.hi-n.lo <= 1e-7) {
				t.Errorf("%v: %s in [%v, %v], want %v", c.values, n.what, n.lo, n.hi, n.want)
			}
		}
		// The number of proposals agrees with the acceptance probability, within six standard deviations.
		const count = 20000
		_, proposals, err := b.Simulate(count, rand.NewPCG(5, 6))
		if err != nil {
			t.Fatal(err)
		}
		off := math.Sqrt(count*(1-c.acceptance)) / c.acceptance
		if d := float64(proposals) - count/c.acceptance; math.Abs(d) > 6*off+1 {
			t.Errorf("%v: %d proposals for %d draws, want %.0f", c.values, proposals, count, count/c.acceptance)
		}
	}
}

// PPCA's captured variance is the mean over the circle, and agrees with draws.
func TestPPCA(t *testing.T) {
	p := must.Be(matrices.NewPPCA(evidencetest.Epsilon(2), 2, false))
	x := mat.NewDense(2, 3, []float64{1.8, -1.5, 0.3, 0.2, 0.9, -0.4})
	s := mat.NewSymDense(2, nil)
	s.SymOuterK(1, x)
	weight := func(th float64) (w, form float64) {
		c, z := math.Cos(th), math.Sin(th)
		form = c*c*s.At(0, 0) + 2*c*z*s.At(0, 1) + z*z*s.At(1, 1)
		return math.Exp(form / 4), form / 3 // η/2 over 4, and n = 3
	}
	total := quad.Fixed(func(th float64) float64 { w, _ := weight(th); return w }, 0, math.Pi, 60, nil, 0)
	mean := quad.Fixed(func(th float64) float64 { w, f := weight(th); return w * f }, 0, math.Pi, 60, nil, 0) / total
	got, err := p.Captured(context.Background(), x)
	if err != nil || math.Abs(got.Lo-mean) > 1e-9 || math.Abs(got.Hi-mean) > 1e-9 {
		t.Errorf("captured %v, %v; want %v", got, err, mean)
	}
	const draws = 4000
	sum := 0.0
	src := rand.NewPCG(3, 4)
	for range draws {
		v := must.Be(p.Simulate(x, src))
		sum += (v[0]*v[0]*s.At(0, 0) + 2*v[0]*v[1]*s.At(0, 1) + v[1]*v[1]*s.At(1, 1)) / 3
	}
	if off := mat.Trace(s) / 3 * math.Sqrt(math.Log(2/1e-9)/(2*draws)); math.Abs(sum/draws-mean) > off { // Hoeffding
		t.Errorf("draws capture %v, want %v within %v", sum/draws, mean, off)
	}
}

// The witness approaches the smallest ε as the number of records grows. At n = 2 it follows from the ratio of the
// densities on the circle.
func TestPPCAWitness(t *testing.T) {
	ctx := context.Background()
	for _, adds := range []bool{false, true} {
		p, _ := matrices.NewPPCA(evidencetest.Epsilon(1), 1, adds)
		limit, last := 1.0, 0.0
		if adds {
			limit = 0.5
		}
		e, _ := p.Privacy().Epsilon(ctx, evidence.Delta{})
		if e.Float() != limit {
			t.Errorf("smallest ε %v, want %v", e, limit)
		}
		for _, n := range []int{2, 10, 100, 10000} {
			w, err := p.Witness(ctx, 3, n)
			if err != nil || !(w.Lo > last && w.Hi <= limit) {
				t.Errorf("adds %v, n = %d: witness %v, %v", adds, n, w, err)
			}
			last = w.Lo
		}
		if last < 0.999*limit {
			t.Errorf("adds %v: at n = 10⁴ the witness is %v", adds, last)
		}
	}
	// For n = 2, d = 2 the ratio is E e^{½(x² + y²)} = e^½ over E e^{y²} = e^½ I₀(½), with I₀(½) = 1.0634833707413236
	// (A&S 9.8).
	p, _ := matrices.NewPPCA(evidencetest.Epsilon(1), 1, false)
	w, err := p.Witness(ctx, 2, 2)
	if want := 0.5 + math.Log(1.0634833707413236); err != nil || math.Abs(w.Lo-want) > 1e-12 || math.Abs(w.Hi-want) > 1e-12 {
		t.Errorf("witness %v, %v; want %v", w, err, want)
	}
}

// Eigenvalues are returned in descending order, with their vectors, as copies.
func TestBinghamEigenvectors(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{2, -1, 0, -1, 2, -1, 0, -1, 2}) // 2 + √2, 2, 2 − √2
	b := must.For(matrices.NewBingham(a))(t)
	v, w := b.Values(), b.Vectors()
	for k, want := range []float64{2 + math.Sqrt2, 2, 2 - math.Sqrt2} {
		if math.Abs(v[k]-want) > 1e-14 {
			t.Errorf("eigenvalue %d is %v, want %v", k, v[k], want)
		}
		for i := range 3 {
			got := 0.0
			for j := range 3 {
				got += a.At(i, j) * w.At(j, k)
			}
			if math.Abs(got-want*w.At(i, k)) > 1e-14 {
				t.Errorf("vector %d is not an eigenvector for %v", k, want)
			}
		}
		if n := mat.Norm(w.ColView(k), 2); math.Abs(n-1) > 1e-14 {
			t.Errorf("vector %d has norm %v", k, n)
		}
	}
	v[0] = 9
	w.Set(0, 0, 9)
	if b.Values()[0] == 9 || b.Vectors().At(0, 0) == 9 {
		t.Error("Values and Vectors share memory with the law")
	}
}

// The witness in three dimensions is the ratio of E e^{½η(n−1)y² + ½ηx²} and E e^{½ηny²}, by mpmath's quadrature, 30
// digits.
func TestWitnessByQuadrature(t *testing.T) {
	for _, c := range []struct {
		adds bool
		want string
	}{{false, "1.85081025841640147391942368017"}, {true, "1.01805905342882969077735774599"}} {
		p := must.For(matrices.NewPPCA(evidencetest.Epsilon(3), 1, c.adds))(t)
		w := must.For(p.Witness(t.Context(), 3, 2))(t)
		matrices.CheckDecimal(t, fmt.Sprint("adds ", c.adds), w.Lo, w.Hi, c.want, 1e-11)
		if w.Side != evidence.Up || w.Method != "two data sets, at one output" || w.Source != ppcaSource {
			t.Errorf("witness %+v has wrong evidence", w)
		}
	}
}

// For (ε, 0) the parameter η is ε, or 2ε if the smallest ε is η/2. An exact mechanism has no claim.
func TestExactParameters(t *testing.T) {
	eps := evidencetest.Epsilon(0.7)
	for _, adds := range []bool{false, true} {
		p := must.For(matrices.ExactPPCA(eps, evidence.Delta{}, 2, adds))(t)
		e := must.For(p.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t).(evidence.Certified)
		checkOutward(t, "smallest ε", e.Lo, e.Hi, matrices.RatOf(0.7))
		if _, ok := p.Claimed(); ok || p.RowNorm != 2 || p.Adds != adds {
			t.Errorf("an exact mechanism has a claim or wrong parameters: %+v", p)
		}
		claim, ok := must.For(matrices.NewPPCA(eps, 2, adds))(t).Claimed()
		if ok == adds || claim.Value != eps.Value() || claim.Epsilon != eps || claim.Source != ppcaSource {
			t.Errorf("adds %t: claimed %+v, %t", adds, claim, ok)
		}
		for _, delta := range []float64{1e-3, 0.25} {
			p := must.For(matrices.ExactPPCA(eps, evidencetest.Delta(delta), 2, adds))(t)
			ranged := p.Parameter.Value()
			if adds {
				ranged /= 2
			}
			if !isLargestRange(0.7, delta, ranged) {
				t.Errorf("adds %t, δ = %v: η = %v", adds, delta, p.Parameter)
			}
		}
	}
	for _, q := range []matrices.Quality{matrices.Max, matrices.Sum} {
		n := must.For(matrices.ExactNet([]float64{1}, 1, 2, q, eps, evidence.Delta{}))(t)
		e := must.For(n.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t)
		lo, hi := e.Bounds()
		if q == matrices.Max { // between η/2 and η
			lo *= 2
		}
		checkOutward(t, string(q), lo, hi, matrices.RatOf(0.7))
	}
	// For Sum, a mechanism with pure ε₀ = η/2 has δ(ε) ≤ (e^{ε₀} − e^ε)/(e^{ε₀} + 1).
	for _, delta := range []float64{1e-6, 0.125, 0.75} {
		n := must.For(matrices.ExactNet([]float64{1}, 1, 2, matrices.Sum, eps, evidencetest.Delta(delta)))(t)
		bound := func(half float64) float64 { return (math.Exp(half) - math.Exp(0.7)) / (1 + math.Exp(half)) }
		half := n.Parameter.Value() / 2
		if bound(half) > delta*(1+1e-9) || bound(half*(1+1e-9)) < delta*(1-1e-6) {
			t.Errorf("δ = %v: η = %v with δ = %v", delta, 2*half, bound(half))
		}
	}
}
