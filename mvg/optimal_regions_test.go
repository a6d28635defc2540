package mvg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// listCases are lists of differences of several kinds: dense, of few entries, of rank one, that
// exchange two coordinates, and of entries that differ by powers of e.
func listCases(orders ...int) []listCase {
	kinds := map[string]func(m, k int, rng *rand.Rand) *mat.Dense{
		"normal": func(m, _ int, rng *rand.Rand) *mat.Dense { return normalMatrix(m, m, rng) },
		"sparse": func(m, k int, rng *rand.Rand) *mat.Dense {
			d := mat.NewDense(m, m, nil)
			d.Set(k%m, k%m, 0.3)
			for range 3 {
				d.Set(rng.IntN(m), rng.IntN(m), 1+rng.Float64())
			}
			return d
		},
		"rank one": func(m, _ int, rng *rand.Rand) *mat.Dense {
			return product(normalMatrix(m, 1, rng), normalMatrix(1, m, rng))
		},
		"exchange": func(m, k int, rng *rand.Rand) *mat.Dense {
			d := mat.NewDense(m, m, nil)
			i := k % m
			j := (i + 1 + rng.IntN(m-1)) % m
			d.Set(i, i, 0.1)
			d.Set(i, j, 1)
			d.Set(j, i, 1+0.5*rng.Float64())
			return d
		},
		"uneven": func(m, _ int, rng *rand.Rand) *mat.Dense {
			d := normalMatrix(m, m, rng)
			d.Apply(func(_, _ int, v float64) float64 { return v * math.Exp(2*rng.NormFloat64()) }, d)
			return d
		},
	}
	var out []listCase
	for _, kind := range []string{"normal", "sparse", "rank one", "exchange", "uneven"} {
		for _, m := range orders {
			for n, count := range []int{m, 2*m + 1} {
				rng := rand.New(rand.NewPCG(211, uint64(10*m+n)))
				level := []float64{0.02, 1, 30}[(m+n)%3]
				c := listCase{name: fmt.Sprintf("%s, order %d, %d differences, signal %v", kind, m, count, level)}
				for range m {
					c.signal = append(c.signal, level*math.Exp(1.5*rng.NormFloat64()))
				}
				for k := range count {
					c.list = append(c.list, kinds[kind](m, k, rng))
				}
				if n == 1 {
					c.w = symmetric.RandomBasis(m, rng)
				}
				out = append(out, c)
			}
		}
	}
	return out
}

type listCase struct {
	name   string
	list   []*mat.Dense
	signal []float64
	w      *mat.Dense
}

func (c listCase) solve(t testing.TB) *Optimum {
	t.Helper()
	r := Recipe{Mode: Equimodal}
	if c.w != nil {
		r.Directions = c.w
	}
	return ok(solveAt(t.Context(), ok(NewDifferences(c.list)), Goal{MostInformation, c.signal}, r, 1, 1))
}

// spent returns the largest tr(PΔPΔᵀ), P = W diag(p) Wᵀ.
func (c listCase) spent(p []float64) float64 {
	most := 0.0
	for _, d := range c.list {
		t := d
		if c.w != nil {
			t = product(product(c.w.T(), d), c.w)
		}
		sum := 0.0
		for i, x := range p {
			for j, y := range p {
				sum += x * y * t.At(i, j) * t.At(i, j)
			}
		}
		most = math.Max(most, sum)
	}
	return most
}

// The ends are within 1 % of each other for lists of every kind.
func TestInformationOfListsMeets(t *testing.T) {
	for _, c := range listCases(2, 4) {
		o := c.solve(t)
		if !(o.Value.Hi <= 1.0091*o.Value.Lo) || !strings.Contains(o.Method, "apart") {
			t.Errorf("%s: [%v, %v], %q", c.name, o.Value.Lo, o.Value.Hi, o.Method)
		}
	}
}

// On every ray of a fine fan what is allowed has no more information, and the best as much.
func TestInformationOfListsOnRays(t *testing.T) {
	for _, c := range listCases(2, 3) {
		m := len(c.signal)
		best := 0.0
		at := make([]float64, m)
		ray := func(logs []float64) {
			p := make([]float64, m)
			for i, v := range logs {
				p[i] = math.Exp(v)
			}
			floats.Scale(1/math.Sqrt(c.spent(p)), p)
			if v := informationOf(c.signal, p); v > best {
				best = v
				copy(at, logs)
			}
		}
		steps := 401
		if m == 3 {
			steps = 41
		}
		for half := 20.0; half > 1e-6; half /= 2 {
			middle, logs := append([]float64(nil), at...), make([]float64, m)
			for i := range steps {
				logs[0] = middle[0] + half*(2*float64(i)/float64(steps-1)-1)
				for j := 0; j < steps && (m == 3 || j == 0); j++ {
					if m == 3 {
						logs[1] = middle[1] + half*(2*float64(j)/float64(steps-1)-1)
					}
					ray(logs)
				}
			}
		}
		o := c.solve(t)
		if best > o.Value.Hi*(1+1e-12) || best < o.Value.Lo*(1-1e-3) || o.Value.Lo < best*(1-0.0091) {
			t.Errorf("%s: %v on rays, [%v, %v]", c.name, best, o.Value.Lo, o.Value.Hi)
		}
	}
}

// With λ large, E_ii as they are and entries of an edge large, directions are released whole or
// not at all, no two of an edge: the optimum counts an independent set.
func TestInformationCountsIndependentSets(t *testing.T) {
	cycle := func(n int) [][2]int {
		var out [][2]int
		for i := range n {
			out = append(out, [2]int{i, (i + 1) % n})
		}
		return out
	}
	for _, c := range []struct {
		name       string
		order      int
		edges      [][2]int
		stableSets float64
	}{
		{"a triangle", 3, cycle(3), 1},
		{"a cycle of 5", 5, cycle(5), 2}, // no matter of degrees alone: fractions would give 5/2
		{"a cycle of 7", 7, cycle(7), 3},
		{"a path of 4", 4, cycle(4)[:3], 2},
	} {
		const gain = 1e8
		var list []*mat.Dense
		for i := range c.order {
			d := mat.NewDense(c.order, c.order, nil)
			d.Set(i, i, 1)
			list = append(list, d)
		}
		for _, e := range c.edges {
			d := mat.NewDense(c.order, c.order, nil)
			d.Set(e[0], e[1], 1e12)
			list = append(list, d)
		}
		o := listCase{list: list, signal: uniform(c.order, gain)}.solve(t)
		want := c.stableSets * math.Log1p(gain)
		if o.Value.Lo > want*1.001 || o.Value.Hi < want*0.999 || o.Value.Hi > 1.0091*o.Value.Lo {
			t.Errorf("%s: [%v, %v], want %v", c.name, o.Value.Lo, o.Value.Hi, want)
		}
	}
}

// The convex minorant cannot do better by itself: its own optimum, which it allows, has far more
// information than any design.
func TestMinorantAloneIsFarOff(t *testing.T) {
	d := mat.NewDense(2, 2, []float64{0.1, 1, 1.2, 0.1})
	c := listCase{list: []*mat.Dense{d}, signal: []float64{7, 7}}
	o := &optimizer{ctx: t.Context(), goal: Goal{MostInformation, c.signal}, recipe: Recipe{Mode: Equimodal}, frame: ok(newFrame(nil, c.signal)), mu: evidence.Certified{Lo: 1, Hi: 1}, n: 2, columns: 1}
	f := ok(o.form(d))
	p := []float64{4.99, 4.99}
	spent := 0.0
	for i, row := range f.lower {
		for j, v := range row {
			spent += v.Mid() * p[i] * p[j]
		}
	}
	best := c.solve(t).Value
	if v := informationOf(c.signal, p); spent > 1 || !(v > 1.5*best.Hi) || best.Hi > 1.0091*best.Lo {
		t.Errorf("the minorant spends %v and has %v, the optimum is in [%v, %v]", spent, v, best.Lo, best.Hi)
	}
}

// randomRegions returns constraints with a region of each, some of whose ends are 0 and close.
func randomRegion(rng *rand.Rand, m int) (*regions, *region) {
	g := &regions{ctx: nil, best: 0, share: closeRegions}
	for range m {
		g.gains = append(g.gains, math.Exp(3*rng.NormFloat64()))
	}
	for range 3 {
		b, ends := make([]float64, m*m), make([]bound, m*m)
		for i := range m {
			for j := range i + 1 {
				v := rng.NormFloat64() * rng.NormFloat64()
				v *= v
				if rng.IntN(4) == 0 && i != j {
					v = 0
				}
				b[i*m+j], b[j*m+i] = v, v
				ends[i*m+j], ends[j*m+i] = point(v), point(v)
			}
		}
		g.forms, g.ends = append(g.forms, b), append(g.ends, ends)
	}
	r := &region{l: make([]float64, m), u: make([]float64, m)}
	for i := range m {
		if rng.IntN(3) > 0 {
			r.l[i] = 0.5 * rng.Float64()
		}
		r.u[i] = r.l[i] + math.Exp(2*rng.NormFloat64()-1)
	}
	return g, r
}

// Planes leave out nothing that is allowed in their region, and are proven to where they are.
func TestCutsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(212, 1))
	points, planes := 0, 0
	for range 300 {
		m := 2 + rng.IntN(4)
		g, r := randomRegion(rng, m)
		c := g.cutter(r)
		at := make([]float64, m)
		for i := range at {
			at[i] = r.l[i] + (r.u[i]-r.l[i])*(0.01+0.98*rng.Float64())
		}
		y := []weighted{{0, rng.Float64()}, {2, rng.Float64()}}
		cuts := append(c.mended(y, at), c.mended([]weighted{{1, 1}}, at)...)
		for _, k := range []*cut{c.logarithm(y, at), c.logarithm([]weighted{{1, 1}}, at)} {
			if k != nil {
				cuts = append(cuts, k)
			}
		}
		e := g.edges(&planesProof{l: r.l, u: r.u})
		for _, k := range cuts {
			a, b, proven := e.plane(k)
			if !proven {
				t.Fatalf("not proven: %+v in %v to %v", k, r.l, r.u)
			}
			planes++
			size := math.Abs(k.b)
			for _, v := range k.a {
				size = math.Max(size, math.Abs(v))
			}
			if !(b.lo-1e-9*size <= k.b && k.b <= b.hi+1e-9*size) {
				t.Fatalf("b = %v, proven in %v", k.b, b)
			}
			for i, v := range a {
				if !(v.lo-1e-9*size <= k.a[i] && k.a[i] <= v.hi+1e-9*size) {
					t.Fatalf("a_%d = %v, proven in %v", i, k.a[i], v)
				}
			}
		}
		for range 200 {
			p := make([]float64, m)
			for i := range p {
				p[i] = r.l[i] + (r.u[i]-r.l[i])*math.Pow(rng.Float64(), 3)
			}
			if g.spent(p) > 1 {
				continue
			}
			points++
			for _, k := range cuts {
				v := 0.0
				for i, x := range p {
					v += k.a[i] * math.Log1p(g.gains[i]*x)
				}
				if v > k.b+1e-9*(1+math.Abs(k.b)) {
					t.Fatalf("%+v leaves out %v in %v to %v, forms %v: %v > %v", k, p, r.l, r.u, g.forms, v, k.b)
				}
			}
		}
	}
	if points < 1000 || planes < 1000 {
		t.Errorf("%d points, %d planes", points, planes)
	}
}

// What is left of a region has all that is allowed in it and has more than the target.
func TestTightenedRegionsKeepWhatMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(213, 1))
	kept, gone := 0, 0
	for range 300 {
		m := 2 + rng.IntN(3)
		g, r := randomRegion(rng, m)
		g.best = 3 * rng.Float64()
		whole := &region{l: append([]float64(nil), r.l...), u: append([]float64(nil), r.u...)}
		some := g.tighten(r)
		for range 300 {
			p := make([]float64, m)
			v := 0.0
			for i := range p {
				p[i] = whole.l[i] + (whole.u[i]-whole.l[i])*rng.Float64()
				v += math.Log1p(g.gains[i] * p[i])
			}
			if g.spent(p) > 1 || v <= g.limit {
				gone++
				continue
			}
			kept++
			for i, x := range p {
				if !some || x < r.l[i] || x > r.u[i] {
					t.Fatalf("%v, with %v, of [%v, %v] is not in [%v, %v], limit %v", p, v, whole.l, whole.u, r.l, r.u, g.limit)
				}
			}
		}
	}
	if kept < 500 || gone < 500 {
		t.Errorf("%d kept, %d gone", kept, gone)
	}
}

// In the plane the best of a program is where two of its lines meet.
func TestProgramInThePlane(t *testing.T) {
	rng := rand.New(rand.NewPCG(214, 1))
	near, all := 0, 0
	for range 200 {
		p := &program{lo: []float64{rng.Float64(), 0}, hi: []float64{1 + 3*rng.Float64(), 2}}
		lines := [][3]float64{{1, 0, p.hi[0]}, {-1, 0, -p.lo[0]}, {0, 1, p.hi[1]}, {0, -1, -p.lo[1]}}
		for range 1 + rng.IntN(6) {
			a := []float64{rng.NormFloat64() + 0.5, rng.NormFloat64() + 0.5}
			b := rng.NormFloat64() + 1.5
			p.cuts = append(p.cuts, &cut{a: a, b: b})
			lines = append(lines, [3]float64{a[0], a[1], b})
		}
		best := math.Inf(-1)
		for i, k := range lines {
			for _, l := range lines[:i] {
				det := k[0]*l[1] - k[1]*l[0]
				x, y := (k[2]*l[1]-k[1]*l[2])/det, (k[0]*l[2]-k[2]*l[0])/det
				inside := det != 0
				for _, n := range lines {
					inside = inside && n[0]*x+n[1]*y <= n[2]+1e-9
				}
				if inside {
					best = math.Max(best, x+y)
				}
			}
		}
		_, w, limit := p.solve(math.Inf(-1))
		if math.IsInf(best, -1) {
			continue // nothing is allowed, and any limit holds
		}
		if limit < best-1e-9 || floats.Min(w) < 0 {
			t.Fatalf("%v under %v: at most %v by %v", best, lines, limit, w)
		}
		if all++; limit < best+1e-4*math.Max(1, best) {
			near++
		}
	}
	if near < 9*all/10 { // far where next to nothing is allowed
		t.Errorf("%d of %d programs are solved", near, all)
	}
}

// Bounds hold what intervals know.
func TestBoundsEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(215, 1))
	random := func() float64 {
		if rng.IntN(8) == 0 {
			return 0
		}
		return rng.NormFloat64() * math.Pow(10, 12*rng.NormFloat64())
	}
	for range 20000 {
		x, y := random(), random()
		a, b := interval.Float(x), interval.Float(y)
		in := func(name string, got bound, want interval.Interval) {
			t.Helper()
			lo, hi := want.Bounds()
			if !(got.lo <= lo && hi <= got.hi) || got.hi-got.lo > 1e-14*math.Max(math.Abs(lo), math.Abs(hi))+1e-300 {
				t.Fatalf("%s of %v and %v: %v, is [%v, %v]", name, x, y, got, lo, hi)
			}
		}
		p, q := point(x), point(y)
		in("sum", p.plus(q), a.Add(b))
		in("difference", p.minus(q), a.Sub(b))
		in("product", p.times(q), a.Mul(b))
		if y > 0 {
			in("quotient", p.over(q), a.Quo(b))
			in("logarithm of 1 +", q.log1p(), log1p(b))
			if math.Abs(y-1) > 1e-3 {
				in("logarithm", q.log(), b.Log())
			}
		}
		if r := p.over(point(-math.Abs(y))); y != 0 && !(math.IsInf(r.lo, -1) && math.IsInf(r.hi, 1)) {
			t.Fatalf("over a negative number: %v", r)
		}
	}
	for _, x := range []float64{0, -1, math.Inf(1), math.NaN(), 1e-310} {
		if v := point(x).log(); !math.IsNaN(v.lo) || !math.IsNaN(v.hi) {
			t.Errorf("ln %v: %v", x, v)
		}
	}
}

// Matrices are positive for sure only where each within the bounds is.
func TestSurelyPositive(t *testing.T) {
	of := func(wide float64, v ...float64) [][]bound {
		n := int(math.Sqrt(float64(len(v))))
		out := make([][]bound, n)
		for i, x := range v {
			if x == 0 {
				out[i/n] = append(out[i/n], bound{})
				continue
			}
			out[i/n] = append(out[i/n], bound{x - wide, x + wide})
		}
		return out
	}
	for _, c := range []struct {
		a    [][]bound
		want bool
	}{
		{of(0, 1, 0.999, 0.999, 1), true},
		{of(0, 1, 1.001, 1.001, 1), false},
		{of(1e-4, 1, 0.999, 0.999, 1), true},
		{of(1e-3, 1, 0.999, 0.999, 1), false},
		{of(1.5e-4, 1, -0.9996, -0.9996, 1), true},
		{of(2e-4, 1, -0.9997, -0.9997, 1), false},
		{of(0, 1e-30, 0.9e-15, 0.9e-15, 1), true},
		{of(0, 0, 0, 0, 2), true},
		{of(0, 0, 1e-9, 1e-9, 2), false},
		{of(0, 0, 0, 0, 0), true},
		{of(0, -1), false},
	} {
		if got := surelyPositive(c.a); got != c.want {
			t.Errorf("%v: %v", c.a, got)
		}
	}
}

// Of order two, with diagonals d ≥ 1/2 known from below and an entry within r of b, they are where (d₁ − r)(d₂ − r) > b².
func TestSurelyPositiveOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(518, 1))
	seen := map[bool]int{}
	for range 4000 {
		some := func() float64 { return float64(rng.IntN(3)) * rng.Float64() / 8 }
		d, e, b := 0.5+1.4*rng.Float64(), 0.5+1.4*rng.Float64(), 2*rng.Float64()-1
		r := some()
		a := [][]bound{{{d, d + some()}, {b - r, b + r}}, {{}, {e, e + some()}}}
		gap := math.Min(d-r, (d-r)*(e-r)-b*b)
		if math.Abs(gap) < 1e-9 {
			continue
		}
		seen[gap > 0]++
		if got := surelyPositive(a); got != (gap > 0) {
			t.Errorf("%v: %v", a, got)
		}
	}
	if seen[true] < 200 || seen[false] < 200 {
		t.Error(seen)
	}
}

// The factor of a random matrix solves as gonum's does.
func TestSolveLower(t *testing.T) {
	rng := rand.New(rand.NewPCG(216, 1))
	for n := 1; n < 8; n++ {
		h := gramOf(normalMatrix(n, n+2, rng))
		b := make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		var want mat.VecDense
		if err := want.SolveVec(h, mat.NewVecDense(n, append([]float64(nil), b...))); err != nil {
			t.Fatal(err)
		}
		rows := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				rows[i*n+j] = h.At(i, j)
			}
		}
		if !solveLower(rows, b) || !floats.EqualApprox(b, want.RawVector().Data, 1e-8*(1+floats.Norm(b, 2))) {
			t.Errorf("order %d: %v, want %v", n, b, want.RawVector().Data)
		}
	}
	if solveLower([]float64{1, 0, 2, 1}, []float64{1, 1}) {
		t.Error("an indefinite matrix has a factor")
	}
}

// BenchmarkInformation solves for information with Ψ = Σ, and says by how much the ends are apart.
func BenchmarkInformation(b *testing.B) {
	run := func(name string, solve func() *Optimum) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			apart := 0.0
			for b.Loop() {
				v := solve().Value
				apart = math.Max(apart, v.Hi/v.Lo-1)
			}
			b.ReportMetric(100*apart, "%apart")
		})
	}
	for _, c := range boxCases([]int{8, 40}, false) {
		run("box, "+c.name, func() *Optimum {
			return ok(solveAt(b.Context(), ok(NewBox(len(c.h), c.h)), Goal{MostInformation, c.signal}, Recipe{Mode: Equimodal}, 1, 1))
		})
	}
	for _, c := range listCases(3, 6) {
		run(c.name, func() *Optimum { return c.solve(b) })
	}
}
