package signrp

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

var update = flag.Bool("update", false, "write testdata/record.txt anew")

// record collects lines of names and numbers.
type record struct {
	lines []string
	said  string // last
	brief bool   // numbers alone
}

func (r *record) add(what string, numbers ...float64) {
	line := what
	for _, v := range numbers {
		line += " " + strconv.FormatFloat(v, 'g', -1, 64)
	}
	r.lines = append(r.lines, line)
}

// number adds the ends of a number and, at last, how far they are apart.
func (r *record) number(what string, n evidence.Number, err error) {
	if err != nil || n == nil {
		r.lines = append(r.lines, fmt.Sprintf("%s %v %v", what, n, err))
		return
	}
	lo, hi := n.Bounds()
	r.add(fmt.Sprint(what, " ", n.Kind()), lo, hi)
	if hi-lo > 64*ulp*hi {
		r.lines[len(r.lines)-1] += " ±" + strconv.FormatFloat(hi-lo, 'g', 3, 64)
	}
	r.told(n)
}

// told adds what a number says of itself: once for all that say the same in turn.
func (r *record) told(n evidence.Number) {
	c := n.Citation()
	text := fmt.Sprint("  ", n.Origin())
	if c.Statement != nil {
		text += fmt.Sprint(" “", c.Statement.Says(), "”")
	}
	if e, ok := c.Statement.(*EpsilonStatement); ok {
		rule, shared := e.Flips()
		text += fmt.Sprint(" ", rule, " ", shared, " ", e.Eps())
	}
	if e, ok := n.(evidence.Exact); ok {
		text += fmt.Sprint(" of ", e.Cases)
	}
	if !r.brief && r.said != text {
		r.lines, r.said = append(r.lines, text), text
	}
}

// alikeLines compares two lines: numbers to a part in 10⁹, as a compiler may take constants together or round a product with a sum, and what two ends are apart
// to a hundredth.
func alikeLines(a, b string) bool {
	return slices.EqualFunc(strings.Fields(a), strings.Fields(b), func(a, b string) bool {
		x, apart := strings.CutPrefix(a, "±")
		v, err := strconv.ParseFloat(x, 64)
		w, other := strconv.ParseFloat(strings.TrimPrefix(b, "±"), 64)
		if a == b || err != nil || other != nil || math.IsInf(v, 0) || math.IsInf(w, 0) {
			return a == b
		}
		tolerance := 1e-9
		if apart {
			tolerance = 0.03 // of three digits, and of roundings of the ends
		}
		return math.Abs(v-w) <= tolerance*math.Max(math.Abs(v), math.Abs(w))
	})
}

// Every bound keeps its value: what other tests say is true and narrow enough is here held to stay as wide as it was derived, of the pieces of
// P₊ and of every reading of every release. Where a change is meant, -update writes testdata/record.txt anew.
func TestBoundsStayAsTheyWereDerived(t *testing.T) {
	r := new(record)
	r.densities(t)
	r.chances(t)
	r.losses(t)
	r.sums(t)
	r.moments(t)
	r.readings(t)
	const file = "testdata/record.txt"
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(r.lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(want) != len(r.lines) {
		t.Fatalf("%d lines, want %d", len(r.lines), len(want))
	}
	told := 0
	for i, line := range r.lines {
		if !alikeLines(line, want[i]) {
			t.Errorf("%s\nwant %s", line, want[i])
			if told++; told == 10 {
				t.Fatal("and more")
			}
		}
	}
}

// densities are those given the largest, with what they are made of.
func (r *record) densities(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct{ a, b, m, y float64 }{
		{0.9, 0.8, 0.3, 0.05}, {0.9, 0.8, 0.3, 0.4}, {0.9, 0.8, 3, 0.7}, {0.9, 0.07, 1.5, 1.2}, {0.75, 0.75, 10.4, 3}, {0.6, 1e-3, 2, 1.2}, {0.6, 0.3, 0.5, 0.6}, {0.5, 1e-6, 4, 0.1},
	} {
		lo, hi, err := newPair(c.a, c.b).ends(c.y, c.m)
		r.add("ends", lo, hi, err)
		f := newPair(c.a, c.b).density(c.y, c.m)
		r.add("pair", f.v, f.err)
		third := newJointLaw([]float64{c.a, c.b, c.b / 3}, 0.5).triple(c.y, c.m)
		r.add("triple", third.v, third.err)
	}
	for _, u := range [][]float64{{0.9}, {0.9, 0, 0}, {0.9, -0.5, 0}, {0.9, 0.5, 0.2, 0}, {0.9, 0.8, 0.7, 0.6}, {0.9, 0.9, 0.9, 0.2, 0.2, 0, 0}} {
		for _, at := range [][2]float64{{0.1, 0.4}, {0.7, 1.3}, {2.9, 6}} {
			f := must(newJointLaw(u, 0.5).density(ctx, at[0], at[1]))
			r.add("density", f.v, f.err)
			period, overlap := newJointLaw(u, 0.5).period(at[0], at[1])
			r.add("period", period, overlap)
		}
	}
	long := newJointLaw(slices.Repeat([]float64{0.6}, 400), 3)
	for _, m := range []float64{0.5, 1, 4} {
		period, overlap := long.period(3, m)
		r.add("period", period, overlap)
	}
	for _, m := range []float64{0.2, 1, 4, mostM} {
		c := newCutNormal(m)
		r.add("edges", append([]float64{c.edge, c.tail, c.size, c.imprecise}, c.hermite[:5]...)...)
		for _, a := range []float64{0, 0.2, 0.25, 0.3, 3.9, 15.74, 16, 16.5, 300} {
			v, err := c.at(a)
			flat, falling, power := c.bounds(a)
			r.add("cut", v, err, flat, falling, power)
		}
		for _, u := range [][]float64{{0.9, 0.8, 0.7, 0.6}, {0.9, 0.9, 0.3}, {0.5}} {
			j := newJointLaw(u, 0.5)
			r.add("rest", j.rest(c, 0.3, 5), j.rest(c, 2, 40), j.rest(c, 20, 400))
		}
	}
	for _, x := range []known{{0.75, 1e-12}, {-0.99, 3e-14}, {1.25, 0}} {
		for _, n := range []int{0, 1, 2, 4, 5, 7, 12, 39} {
			f := known{0.5, 1e-15}
			f.multiply(x, n)
			r.add("power", f.v, f.err)
		}
	}
	for _, s := range []float64{-30, -1e-3, 0, 9e-7, 1e-6, 1.1e-6, 0.3, 7, 400} {
		r.add("slice", logSlice(s))
	}
	for _, c := range [][5]float64{{2, 0, 1, 1.2, 0}, {16, 1, 3, 2, 5}, {24, 0.1, 0.2, 40, -3}} {
		r.add("remainder", remainder(int(c[0]), c[1], c[2], c[3], c[4]))
		overEllipse(c[1], c[2], c[3], func(x0, x1, y0, y1 float64) { r.add("box", x0, x1, y0, y1) })
	}
	for _, n := range []int{1, 2, 5, 16, 24} {
		rule := newLegendre(n)
		r.add("rule", append(rule.x, rule.w...)...)
	}
	for _, c := range []struct {
		u    []float64
		beta float64
	}{{[]float64{1, 1, 1, 1}, 0.9}, {[]float64{1, 0.3, 0.01}, 0.4}, {slices.Repeat([]float64{0.7}, 300), 20}} {
		panels, unseen, err := newJointLaw(c.u, c.beta).panels(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.add("unseen", unseen)
		for _, p := range panels {
			r.add("panel", p[0], p[1])
		}
	}
}

// chances are P₊, published and true, and what is counted from it.
func (r *record) chances(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		u    []float64
		beta float64
	}{
		{[]float64{0.3, -0.9}, 0.5}, {[]float64{0.7, 0}, 0.3}, {[]float64{1, 1e-5}, 0.2}, {[]float64{0.5, 0.25}, 0.75}, {[]float64{0.5, 0.4, -0.3}, 0.4}, {[]float64{0.5, 0, 0}, 0.4},
		{[]float64{0.5, 0.4, 0}, 0.4}, {[]float64{0.5, 0.4, -0.3, 0.2}, 0.4}, {[]float64{1, 1, 1, 1, 1}, 1.5}, {[]float64{1, 0.9, 0.8, 1e-14}, 0.7}, {[]float64{0x1p-900, 0x1p-901, 0x1p-902}, 0x1p-901},
		{[]float64{1, 0.9, 0.8, 0.7, 1e-14}, 1}, {[]float64{1, 1e-3, 1e-3}, 1}, {[]float64{1, 0, 0}, 0.999},
	} {
		n, err := GaussianPPlus(ctx, c.u, c.beta)
		r.number("P₊", n, err)
		if len(c.u) > 2 {
			kept, less, more := dropSmallest(c.u, c.beta)
			r.add("kept", append(kept, less, more, newJointLaw(kept, less).misread())...)
		}
		n, err = roundedPPlus(ctx, c.u, c.beta, 1<<12)
		r.number("rounded", n, err)
		n, err = RademacherPPlus(ctx, c.u, c.beta)
		r.number("signs", n, err)
	}
	rng := rand.New(rand.NewPCG(44, 1))
	for _, p := range []int{5, 30, 60} {
		u := randomVector(rng, p)
		for _, work := range []float64{1 << 10, 1 << 15} {
			n, err := roundedPPlus(ctx, u, 0.7, work)
			r.number("rounded", n, err)
		}
	}
	for _, p := range []int{1, 2, 20, 1000, 40000} {
		for _, ratio := range []float64{1e-5, 0.3, 1, 20} {
			r.add("published", must(PublishedGaussian(ratio, p)).Value, must(PublishedRademacher(ratio, p)).Value)
		}
	}
	for _, k := range []int{1, 9, 300} {
		for _, p := range []float64{0, 1e-9, 0.1, 0.5, 0.93, 1} {
			for _, n := range []int{0, k / 3, k - 1, k} {
				tail, err := RandomWDelta(p, k, n)
				r.number("tail", tail, err)
			}
			r.add("counts", float64(must(ChernoffCount(p, k, evidencetest.Delta(1e-3)))), float64(must(BinomialCount(p, k, evidencetest.Delta(1e-3)))), float64(must(ChernoffCount(p, k, evidencetest.Delta(0.4)))), float64(must(BinomialCount(p, k, evidencetest.Delta(0.4)))))
		}
	}
	for _, n := range []int{0, 1, 255, 256, 1000} {
		lo, hi := logFactorial(n).Bounds()
		r.add("factorial", lo, hi)
	}
	for _, n := range []Normals{{1, 0}, {0.5, 0.3}, {2, -0.8}, {0.9, 0.95}, {1e-3, 0.5}, {0.5, 0.5}} {
		tail, bound, err := n.TailExceeding(1.3)
		if err != nil {
			t.Fatal(err)
		}
		r.add("normals", must(n.Exceeds()), must(n.MeanExceeding()), tail, bound)
	}
}

// losses are those of signs in float64, with their bounds.
func (r *record) losses(t *testing.T) {
	for _, z := range []float64{0, 1e-9, 0.3, 5, 29.9, 30, 30.1, 40, 1e4} {
		near, far, err := logPhis(z)
		r.add("ln Φ", near, far, err)
		for _, slack := range []float64{0, 1e-12, 0.1} {
			x, y := logsAt(z, slack), logsAt(-z/2, slack/2)
			f, g, e := normalBitLoss(x, y)
			r.add("loss", x.plus, x.minus, x.err, y.plus, y.minus, y.err, f, g, e)
		}
	}
	for _, e := range []float64{1e-9, 0.5, 3} {
		soft := softplus(e)
		r.add("softplus", soft(0), soft(1), soft(-7), soft(256), soft(-256), soft(257), soft(-257))
	}
	u, v := []float64{1, 0.5, -0.25}, []float64{0.75, 0.5, 0.5}
	for _, e := range []evidence.Epsilon{eps(t, 1e-70), eps(t, 0.3), eps(t, 3), eps(t, 1400), eps(t, 1401), lnEps(t, 3, 2)} {
		r.add("angle", must(Angle(u, v)), must(AngleVariance(1, e, 7)).Value, must(AngleEstimate([]int8{1, 1, -1}, []int8{1, -1, -1}, e)))
	}
	for _, s := range []float64{0.1, 0.999, 1, 1e-3, 1e3} {
		r.add("ratio", must(VarianceRatio(100, 7, s)))
	}
}

// sums are those of W and their bounds.
func (r *record) sums(t *testing.T) {
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(44, 2))
	for _, shape := range [][2]int{{3, 2}, {65, 9}} {
		u := randomVector(rng, shape[0])
		u[1] = 0
		for _, w := range allKinds(t, shape[0], shape[1], 4) {
			r.add(fmt.Sprint("Wᵀu ", w.kind), must(w.Apply(ctx, u))...)
			r.add("bounds", w.dotsError(0, 0), w.dotsError(1, 0), w.dotsError(1e-310, 1), w.dotsError(7, 1))
			r.number("sensitivity", must(w.Sensitivity(ctx, 0.3)), nil)
			at := must(w.at(ctx, u, 0.3))
			r.add("point", append(at.d, at.bound...)...)
			lower, upper, err := at.ball(ctx, 0.3)
			if err != nil {
				t.Fatal(err)
			}
			for j := range w.k {
				a, b := lower.near(j)
				c, d := upper.near(j)
				r.add("reached", a, b, c, d, lower.err[j], upper.err[j])
			}
			up, down := moves(u[2], 0.3)
			for _, m := range []move{up, down} {
				s := &shifted{point: at, i: 2, row: w.row(2), m: m}
				a, b := s.near(0)
				r.add("shifted", a, b, m.hi, m.err)
			}
			lo, hi := must((&between{r: must(NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.3})), u: u, v: make([]float64, len(u))}).distance(ctx)).Bounds()
			r.add("distance", lo, hi)
		}
	}
}

// moments are those of estimators.
func (r *record) moments(t *testing.T) {
	ctx := t.Context()
	u, v := []float64{1, 0.5, -0.25, 0.5}, []float64{0.75, 0.5, 0.5, -0.25}
	for _, sigma := range []float64{0, 0.3, 2} {
		for _, w := range append(allKinds(t, 4, 2, 4), nil) {
			n, err := InnerVariance(w, u, v, exactDecimal(sigma))
			r.number("inner", n, err)
			if w != nil && w.kind == Uniform {
				continue
			}
			m, err := NormalizedMoments(ctx, w, u, v, exactDecimal(sigma))
			if err != nil {
				t.Fatal(err)
			}
			r.number("mean", m.Mean, nil)
			r.number("variance", m.Variance, nil)
			r.number("error", m.Error, nil)
		}
	}
	for _, w := range allKinds(t, 4, 3, 4) {
		r.add("formula", must(NormalizedFormula(w, u, v)).Value)
	}
}
