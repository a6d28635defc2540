package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/sampling"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// quiet is a context that is over, and whose channel does not say so.
type quiet struct{ context.Context }

func (quiet) Err() error            { return context.Canceled }
func (quiet) Done() <-chan struct{} { return nil }

// Whoever looks at a context that is over gives up, whatever somebody after it would do.
func TestPartsGiveUp(t *testing.T) {
	over := quiet{t.Context()}
	rng := rand.New(rand.NewPCG(62, 1))
	gives := func(name string, nothing bool, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) || !nothing {
			t.Errorf("%s: nothing %v, error %v", name, nothing, err)
		}
	}
	diagonal, dense := ok(NewIsotropic(3, 2)), func(n int) Covariance { return drawCovariance(t, n, 1, rng) }
	l, err := dense(3).triangle(over, 200)
	gives("the triangle of a dense covariance", l == nil, err)
	l, err = diagonal.triangle(over, 200)
	gives("the triangle of a diagonal one", l == nil, err)

	known := func(c Covariance) Covariance { ok(c.triangle(t.Context(), 1000)); return c }
	fx, z := mat.NewDense(3, 2, nil), make([]sampling.Real, 6)
	sampling.Normals(z, rng)
	left := func() [][]int { return [][]int{{0, 1, 2}, {0, 1, 2}} }
	for name, p := range map[string]joint{"Σ": {sigma: dense(3), psi: known(dense(2))}, "Ψ": {sigma: known(dense(3)), psi: dense(2)}} {
		gives("a release without the triangle of "+name, true, p.compute(over, mat.NewDense(3, 2, nil), fx, z, 64, left()))
	}
	f := factors{m: 3, n: 2, b: 64, size: 3, left: known(dense(3)).mustCut(90), right: known(dense(2)).mustCut(90)}
	for name, prepare := range map[string]func(context.Context, []sampling.Real) (func() column, int, error){"long": f.longs, "short": f.shorts} {
		_, _, err := prepare(over, z)
		gives(name+" numbers", true, err)
		start, _, err := prepare(t.Context(), z)
		if err != nil {
			t.Fatal(err)
		}
		_, err = start()(1)(over, 2)
		gives("an entry of "+name+" numbers", true, err)
	}
	called := false
	err = reaching(f.left.rows, 3, func(int) { called = true })(over, 2)
	gives("rows that an entry reaches", !called, err)

	unit := root{1 << 63, 63}
	entry := entrywise{grid: ok(newGrid(nil, sampling.TwoTo(-20))), rows: []root{unit, unit, unit}, columns: []root{unit, unit}, careful: true}
	gives("an entry that is asked for", true, entry.add(looks.After(t.Context(), 1), mat.NewDense(3, 2, nil), fx, 0, 0, z[:1]))

	g := &informed{signals: []*mat.Dense{symmetric.Eye(2)}, list: []*mat.SymDense{symmetric.Multiple(2, 0.1)}}
	if x, decrement := g.newton(over, symmetric.Eye(2), []float64{0.8}, 1); x != nil || decrement != 0 {
		t.Errorf("a step of %v in a search that is over", x)
	}
	if x, _ := g.newton(t.Context(), symmetric.Eye(2), []float64{0.8}, 1); x == nil {
		t.Error("no step where there is one")
	}
	many := ok(NewBox(1, uniform(maxVertexBits, 1)))
	o := optimizerOf(many, LeastError, Unimodal, nil, uniform(maxVertexBits, 1)...)
	o.ctx = over
	p := symmetric.Multiple(maxVertexBits, 1)
	for name, more := range map[string]worst{"columns": o.worstColumn(many), "entries": o.worstEntry(many)} {
		found, err := more(p, nil)
		gives("the worst vertices, by "+name, found == nil, err)
	}
	more, err := many.worstSigns(over, p)
	gives("the worst signs", more == nil, err)
}

func (c Covariance) mustCut(places int) *triangle {
	return ok(c.triangle(context.Background(), places)).cut(places)
}

// A release that is over once everything is decided is none.
func TestReleasesEndAtTheirEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 2))
	d := designOf(drawCovariance(t, 3, 1, rng), drawCovariance(t, 2, 1, rng))
	for _, bits := range []int{8, 128} {
		ctx, end := context.WithCancel(t.Context())
		p := d.joint(ok(newGrid(nil, d.Grid())))
		p.bits = bits
		p.refined = func(left int) {
			if left == 0 {
				end()
			}
		}
		if out, err := p.release(ctx, mat.NewDense(3, 2, nil), rowStreams(1)); out != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%d bits at first: %v, error %v", bits, out, err)
		}
	}
}

// blinking is a context that notes from where it is asked for its error, and has ended for some of
// these looks alone. Its channel says nothing.
type blinking struct {
	context.Context
	from, length, looks int
	at                  map[[12]uintptr][]int // the looks from a place, by their numbers
}

func (c *blinking) Err() error {
	var pcs [12]uintptr
	runtime.Callers(2, pcs[:])
	c.at[pcs] = append(c.at[pcs], c.looks)
	if c.looks++; c.looks > c.from && c.looks <= c.from+c.length {
		return context.Canceled
	}
	return nil
}

func (*blinking) Done() <-chan struct{} { return nil }

// Every place from which a search or a release looks at its context gives up there, with nothing
// beside the error: that of a context that has ended for a moment is not seen again.
func TestEveryPlaceGivesUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that looks are as many each time
	try := func(name string, length int, do func(ctx context.Context) (nothing bool, err error)) {
		t.Helper()
		blink := func(from int) *blinking {
			return &blinking{Context: t.Context(), from: from, length: length, at: map[[12]uintptr][]int{}}
		}
		whole := blink(math.MaxInt - length)
		if _, err := do(whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := map[int]bool{}
		for _, seen := range whole.at {
			if all[seen[0]] = true; whole.looks < 3000 { // else what is far takes long to reach
				all[seen[len(seen)-1]] = true
			}
		}
		for n := range all {
			if nothing, err := do(blink(n)); !nothing || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, over at look %d of %d alone: nothing %v, error %v", name, n, whole.looks, nothing, err)
			}
		}
	}
	routes(func(name string, s Sensitivity, goal Goal, r Recipe) {
		if d, list := s.(Differences); list {
			s = Differences{d.m, d.n, slices.Clone(d.list[:2])}
		}
		// Who finds that it is over may look again for the error.
		try(name, 2, func(ctx context.Context) (bool, error) {
			out, err := solveAt(ctx, s, goal, r, 1, 1)
			return out == nil, err
		})
	})
	rng := rand.New(rand.NewPCG(62, 3))
	sigma, psi, fx := drawCovariance(t, 3, 1, rng), drawCovariance(t, 2, 1, rng), mat.NewDense(3, 2, nil)
	for name, made := range map[string]func() *Design{ // anew, as a design keeps its roots
		"dense":    func() *Design { return designOf(ok(NewDense(sigma.Matrix())), ok(NewDense(psi.Matrix()))) },
		"rows":     func() *Design { return designOf(ok(NewDense(sigma.Matrix())), ok(NewIsotropic(2, 1))) },
		"diagonal": func() *Design { return designOf(ok(NewIsotropic(3, 1)), ok(NewIsotropic(2, 1))) },
	} {
		for _, careful := range []bool{false, true} {
			// And a worker may find it after all is done.
			try(fmt.Sprintf("a release, %s, careful %v", name, careful), 3, func(ctx context.Context) (bool, error) {
				d := made()
				p := d.joint(ok(newGrid(nil, d.Grid())))
				p.bits, p.careful = 8, careful
				out, err := p.release(ctx, fx, rowStreams(1))
				return out == nil, err
			})
		}
	}
}
