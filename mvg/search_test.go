package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

var delta5 = evidencetest.Delta(1e-5)

// randomPoint returns n coordinates in [−1, 1].
func randomPoint(n int, src *rand.Rand) []float64 {
	at := make([]float64, n)
	for i := range at {
		at[i] = 2*src.Float64() - 1
	}
	return at
}

// Every design of a search is exactly (ε, δ)-private. The whitened norm of no member of the set exceeds μ, computed
// with float64 inverses, and the certified ε is 1 up to rounding.
func TestSearchDesignsAreExactlyPrivate(t *testing.T) {
	src := rand.New(rand.NewPCG(53, 4))
	known, _ := gaussian.Mu(one, delta5)
	mu := known.Float()
	box := must.Be(mvg.NewBox(3, []float64{1, 2, 5}))
	list := []*mat.Dense{mat.NewDense(2, 2, []float64{8, 0, 0, 1}), mat.NewDense(2, 2, []float64{0, 1, 2, 0})}
	var vertices []*mat.Dense
	for k := range 8 {
		v := mat.NewDense(3, 3, nil)
		for i, h := range []float64{1, 2, 5} {
			v.Set(i, k%3, 2*h*float64(1-k>>i&1*2))
		}
		vertices = append(vertices, v)
	}
	for name, c := range map[string]struct {
		s       mvg.Sensitivity
		members []*mat.Dense
		r       mvg.Params
	}{
		"box":          {box, vertices, mvg.Params{FreeAxes: true}},
		"box, turned":  {box, vertices, mvg.Params{Directions: rotation(3, 1)}},
		"box, equal":   {box, nil, mvg.Params{Mode: mvg.Equimodal, FreeAxes: true}},
		"list":         {must.Be(mvg.NewDifferences(list)), list, mvg.Params{FreeAxes: true}},
		"list, equal":  {must.Be(mvg.NewDifferences(list)), list, mvg.Params{Mode: mvg.Equimodal, FreeAxes: true}},
		"gram, equal":  {must.Be(mvg.NewGram(3, 2, query.Replace, 1)), nil, mvg.Params{Mode: mvg.Equimodal, FreeAxes: true}},
		"ball, turned": {must.Be(mvg.NewBall(3, 4, mvg.BallOptions{S2: 1, Gamma: 1})), nil, mvg.Params{Directions: rotation(3, 2), FreeAxes: true}},
	} {
		c.r.Epsilon, c.r.Delta = one, delta5
		s, err := mvg.NewSearch(ctx, c.s, c.r, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		for range 20 {
			d, err := s.Design(ctx, randomPoint(len(s.Parameters()), src))
			if err != nil {
				t.Fatal(name, err)
			}
			largest := 0.0
			for _, v := range c.members {
				largest = math.Max(largest, whitenedNorm(t, d.Sigma().Matrix(), d.Psi().Matrix(), v))
			}
			if c.members != nil && !near(largest, mu, 1e-7) {
				t.Errorf("%s: the largest whitened difference is %.12g, want %.12g", name, largest, mu)
			}
			lo, hi := must.Be(d.Privacy().Epsilon(ctx, delta5)).Bounds()
			if claim, ok := d.ClaimedEpsilon(); !(hi <= 1 && lo > 1-1e-7) || !ok || claim.Value != 1 {
				t.Errorf("%s: smallest ε in [%v, %v], claimed %v, want 1", name, lo, hi, claim)
			}
		}
	}
}

// The search starts at the precisions (c/w − 1/λ)⁺, with the level c found by bisection. Zero precisions are replaced
// by 1 % of isotropic noise's precision. Without eigenvalues all w_i p_i are equal.
func TestSearchStartsFromWaterfilling(t *testing.T) {
	h := []float64{1, 2, 5}
	box := must.Be(mvg.NewBox(3, h))
	mu, _ := gaussian.Mu(one, delta5)
	budget := mu.Float() * mu.Float()
	sum := 0.0
	for _, h := range h {
		sum += 4 * h * h
	}
	for _, eigenvalues := range [][]float64{nil, {900, 5000, 90000}, {9, 5000, 9}} {
		s := must.Be(mvg.NewSearch(ctx, box, mvg.Params{Epsilon: one, Delta: delta5}, eigenvalues))
		want := make([]float64, 3)
		lo, hi := 0.0, 1e9
		for range 200 {
			c, spent := (lo+hi)/2, 0.0
			for i := range want {
				w, floor := 4*h[i]*h[i], 0.0
				if eigenvalues != nil {
					floor = 1 / eigenvalues[i]
				}
				want[i] = math.Max(c/w-floor, 0)
				spent += w * want[i]
			}
			if spent > budget {
				hi = c
			} else {
				lo = c
			}
		}
		if withheld := want[0] == 0; withheld != (eigenvalues != nil && eigenvalues[0] == 9) {
			t.Fatal("the instance does not have the intended active set")
		} else if withheld {
			for i := range want {
				want[i] += 0.01 * budget / sum
			}
		}
		start := s.Start().Sigma().Variances()
		for i := range want {
			if got := start[0] / start[i]; !near(got, want[i]/want[0], 1e-6) {
				t.Errorf("eigenvalues %v: p_%d/p_0 = %v, want %v", eigenvalues, i, got, want[i]/want[0])
			}
		}
	}
}

// Rescaling the rows does not change the design at given coordinates.
func TestSearchIsUnitInvariant(t *testing.T) {
	src, scales := rand.New(rand.NewPCG(53, 5)), []float64{1, 30, 0.2}
	searches := make([]*mvg.Search, 2)
	for k := range searches {
		h := []float64{1, 2, 5}
		for i := range h {
			h[i] *= math.Pow(scales[i], float64(k))
		}
		searches[k] = must.Be(mvg.NewSearch(ctx, must.Be(mvg.NewBox(3, h)), mvg.Params{Epsilon: one, Delta: delta5, FreeAxes: true}, nil))
	}
	for range 10 {
		at := randomPoint(6, src)
		a, b := must.Be(searches[0].Design(ctx, at)).Sigma().Matrix(), must.Be(searches[1].Design(ctx, at)).Sigma().Matrix()
		for i := range 3 {
			for j := range 3 {
				if got, want := b.At(i, j), a.At(i, j)*scales[i]*scales[j]; math.Abs(got-want) > 1e-6*math.Sqrt(b.At(i, i)*b.At(j, j)) {
					t.Errorf("Σ_%d%d = %v, want %v", i, j, got, want)
				}
			}
		}
	}
}

// Optimum recognises a goal from its values at ten designs. The optimum of the squared error is n(Σ 2h_i)²/μ². A goal
// that differs slightly is not recognised.
func TestSearchOptimum(t *testing.T) {
	const n = 4
	h, eigenvalues := []float64{1, 2, 5}, []float64{900, 5000, 90000}
	box := must.Be(mvg.NewBox(n, h))
	mu, _ := gaussian.Mu(one, delta5)
	budget := mu.Float() * mu.Float()
	least := n * 16 * 16 / budget
	information := 0.0 // all directions are released: c = (budget + Σ w/λ)/3
	c := budget
	for i, h := range h {
		c += 4 * h * h / eigenvalues[i]
	}
	for i, h := range h {
		information += math.Log(c / 3 * eigenvalues[i] / (4 * h * h))
	}
	trace := func(d *mvg.Design) float64 { return n * mat.Trace(d.Sigma().Matrix()) }
	pnr := func(d *mvg.Design) float64 {
		var sum mat.Dense
		sum.Add(d.Sigma().Matrix(), mat.NewDiagDense(3, eigenvalues))
		return math.Log(mat.Det(&sum)) - math.Log(mat.Det(d.Sigma().Matrix()))
	}
	for _, free := range []bool{false, true} {
		s := must.Be(mvg.NewSearch(ctx, box, mvg.Params{Epsilon: one, Delta: delta5, FreeAxes: free}, eigenvalues))
		src := rand.New(rand.NewPCG(53, 6))
		designs := []*mvg.Design{s.Start()}
		for len(designs) < 10 {
			designs = append(designs, must.Be(s.Design(ctx, randomPoint(len(s.Parameters()), src))))
		}
		for name, c := range map[string]struct {
			of   func(d *mvg.Design) float64
			want float64 // 0 if the search has no optimum
		}{
			"error":    {trace, least},
			"mean":     {func(d *mvg.Design) float64 { return trace(d) / (3 * n) }, least / (3 * n)},
			"root":     {func(d *mvg.Design) float64 { return math.Sqrt(trace(d) / (3 * n)) }, math.Sqrt(least / (3 * n))},
			"ln PNR":   {func(d *mvg.Design) float64 { return -pnr(d) }, -information},
			"half":     {func(d *mvg.Design) float64 { return -pnr(d) / 2 }, -information / 2},
			"twice":    {func(d *mvg.Design) float64 { return 2 * trace(d) }, 0},
			"positive": {pnr, 0},
			"nearly":   {func(d *mvg.Design) float64 { return trace(d) * (1 + 1e-8*math.Sin(trace(d))) }, 0},
		} {
			values := make([]float64, len(designs))
			for i, d := range designs {
				values[i] = c.of(d)
			}
			got, ok, err := s.Optimum(ctx, designs, values)
			if err != nil || ok != (c.want != 0) || ok && !(near(got.Lo, c.want, 1e-9) && near(got.Hi, c.want, 1e-9) && got.Lo <= got.Hi) {
				t.Errorf("%s, free %v: %v, %v, %v, want %v", name, free, got, ok, err, c.want)
			}
			if _, ok, _ := s.Optimum(ctx, designs[:9], values[:9]); ok {
				t.Errorf("%s: an optimum from nine designs", name)
			}
		}
	}
}
