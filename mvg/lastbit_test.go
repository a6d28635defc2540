package mvg

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "write testdata/ends.txt anew")

// ends lists numbers by their two ends.
type ends []string

func (l *ends) add(what string, lo, hi float64) {
	*l = append(*l, fmt.Sprintf("%s: %x %x", what, lo, hi))
}

func (l *ends) certified(what string, c evidence.Certified) { l.add(what, c.Lo, c.Hi) }

// The ends of everything certified are the same to the last bit, from one version to the
// next and on every machine that does not fuse products with sums: a study that records
// them is repeated by them. What they enclose is held elsewhere to exact numbers and to other
// routes; here a bound that is a unit wider or narrower than it was is seen, and a search
// that looks elsewhere. Where one is derived anew, go test ./mvg -run LastBit -update,
// after a look at what moves and by how much.
func TestEndsToTheLastBit(t *testing.T) {
	if v := roundedExps(); runtime.GOARCH != "amd64" || v != 0xc52b94d55be86c60 {
		t.Skipf("products may be fused with sums here, and exponentials rounded otherwise: %x", v)
	}
	var l ends
	l.bounds()
	l.regions(t)
	l.optima(t)
	l.designs(t)
	const file = "testdata/ends.txt"
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(l, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Split(strings.TrimSuffix(string(must.Be(os.ReadFile(file))), "\n"), "\n")
	if len(want) != len(l) {
		t.Errorf("%d numbers, want %d", len(l), len(want))
	}
	for i := range min(len(want), len(l)) {
		if l[i] != want[i] {
			t.Errorf("%s, want %s", l[i], want[i])
		}
	}
}

// roundedExps is a fingerprint of math.Exp, which is an assembly of its own for processors
// that fuse products with sums.
func roundedExps() uint64 {
	h := fnv.New64a()
	for i := range 4096 {
		fmt.Fprint(h, math.Exp(float64(i-2048)/97))
	}
	return h.Sum64()
}

// bounds are the operations on float64 ends.
func (l *ends) bounds() {
	all := []bound{{.1, .7}, {-.2, .9}, {-3.1, -1.7}, {1, 1.5}, {}, {1e-300, 40.7}}
	for i, a := range all {
		for j, b := range all {
			v, w, x, y := a.plus(b), a.minus(b), a.times(b), a.over(b)
			name := fmt.Sprint("bounds ", i, " and ", j)
			l.add(name+", sum", v.lo, v.hi)
			l.add(name+", difference", w.lo, w.hi)
			l.add(name+", product", x.lo, x.hi)
			if b.lo > 0 {
				l.add(name+", quotient", y.lo, y.hi)
			}
		}
		if a.lo > 0 {
			v, w := a.log(), a.log1p()
			l.add(fmt.Sprint("bound ", i, ", log"), v.lo, v.hi)
			l.add(fmt.Sprint("bound ", i, ", log1p"), w.lo, w.hi)
		}
	}
}

// regions are searches of random constraints, and how often they ask whether they are over.
func (l *ends) regions(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(142, seed))
		m := 2 + int(seed%3)
		over := looks.After(t.Context(), math.MaxInt)
		g := &regions{ctx: over, share: closeRegions}
		draw := func(spread int) float64 { return math.Ldexp(1+rng.Float64(), rng.IntN(2*spread+1)-spread) }
		u := make([]float64, m)
		for i := range m {
			g.gains, u[i] = append(g.gains, draw(5)), draw(2)
		}
		for range 3 {
			form, sides := make([]float64, m*m), make([]bound, m*m)
			for i := range m {
				for j := range i + 1 {
					if i == j || rng.IntN(4) > 0 {
						form[i*m+j] = draw(4) / 8
					}
					form[j*m+i] = form[i*m+j]
					sides[i*m+j], sides[j*m+i] = point(form[i*m+j]), point(form[i*m+j])
				}
			}
			g.forms, g.ends = append(g.forms, form), append(g.ends, sides)
		}
		if err := g.search(u); err != nil {
			t.Fatal(err)
		}
		l.add(fmt.Sprintf("regions %d, %d looks", seed, over.Looks()), g.best, g.limit)
	}
}

// optima are those of every route.
func (l *ends) optima(t *testing.T) {
	var lines ends
	routes(func(name string, s Sensitivity, goal Goal, r Recipe) {
		for _, hi := range []float64{1, 2} {
			o, err := solveAt(t.Context(), s, goal, r, 1, hi)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			lines.certified(fmt.Sprint(name, ", μ up to ", hi), o.Value)
			if hi == 1 && len(o.Precisions) == 2 {
				lines.add(name+", precisions", o.Precisions[0], o.Precisions[1])
			}
		}
	})
	slices.Sort(lines)
	*l = append(*l, lines...)
}

// designs are what is certified of noise that is given.
func (l *ends) designs(t *testing.T) {
	rng := rand.New(rand.NewPCG(142, 99))
	sigma, psi := drawCovariance(t, 2, 1, rng), drawCovariance(t, 2, 1, rng)
	flat, other := variedOf(2, 2, rng), variedOf(2, 2, rng)
	signal := mat.NewSymDense(2, []float64{2.3, .4, .4, .9})
	sets := setsOf(rng)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range sets {
			if !yield(k) {
				return
			}
		}
	}) {
		s := sets[name]
		if m, n := s.Shape(); m != 2 || n != 2 {
			continue
		}
		l.certified(name+", ‖Δ‖", s.Frobenius())
		for k, pair := range [][2]Covariance{{sigma, psi}, {flat, other}, {sigma, other}, {flat, psi}} {
			d := ok(NewDesign(t.Context(), s, pair[0], pair[1]))
			at := fmt.Sprint(name, ", design ", k)
			for _, eps := range []float64{.2, 1.5} {
				lo, hi := ok(d.Privacy().Delta(t.Context(), ok(evidence.NewEpsilon("eps", eps)))).Bounds()
				l.add(fmt.Sprint(at, ", δ at ", eps), lo, hi)
			}
			lo, hi := ok(d.Privacy().Epsilon(t.Context(), 1e-3)).Bounds()
			l.add(at+", ε", lo, hi)
			lo, hi = ok(d.LogPNR(signal)).Bounds()
			l.add(at+", ln PNR", lo, hi)
			l.add(at+", error of draws", d.Sigma().DrawError(), d.Psi().DrawError())
		}
	}
	given := ok(NewDirectional([]float64{.7, 2.9, 1.3}, symmetric.RandomBasis(3, rng)))
	for k, c := range []Covariance{sigma, psi, flat, other, drawCovariance(t, 5, 1, rng), given} {
		lo, hi := c.largestEntry().Bounds()
		l.add(fmt.Sprint("covariance ", k, ", largest entry of the inverse"), lo, hi)
		lo, hi = c.norm().Bounds()
		l.add(fmt.Sprint("covariance ", k, ", norm of the inverse"), lo, hi)
		for i, v := range c.top(2) {
			lo, hi := v.Bounds()
			l.add(fmt.Sprint("covariance ", k, ", eigenvalue ", i), lo, hi)
		}
	}
	eps := ok(evidence.NewEpsilon("eps", 1))
	for _, dimension := range []int{3, 40} {
		r := ok(NewRankOne(dimension, 1, eps, 1e-5))
		lo, hi := ok(r.Privacy(.1).Delta(t.Context(), eps)).Bounds()
		l.add(fmt.Sprint("rank one of ", dimension, ", δ"), lo, hi)
		l.add(fmt.Sprint("rank one of ", dimension), r.Variance, r.Sensitivity)
	}
}
