package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// smallCase makes mechanisms on three datasets in a row.
type smallCase struct {
	some
	q *query.Query
}

func few(t testing.TB) smallCase {
	t.Helper()
	s := smallCase{some: some{t: t}}
	space, err := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	s.fail(err)
	s.q, err = query.NewNumeric("f", space, []float64{0, 1, 3}, nil)
	s.fail(err)
	return s
}

// of returns the law with these rows.
func (s smallCase) of(rows [][]*big.Rat) mechanism.Mechanism {
	s.t.Helper()
	m, err := mechanism.NewFinite(context.Background(), s.q, rows, nil)
	s.fail(err)
	return m
}

// rational is a law of rational chances that no rule makes.
func (s smallCase) rational() mechanism.Mechanism {
	s.t.Helper()
	return s.of([][]*big.Rat{parts(2, 1, 1), parts(1, 2, 1), parts(1, 1, 3)})
}

// enclosed is a law whose chances are enclosed, and that no rule makes.
func (s smallCase) enclosed() mechanism.Mechanism {
	s.t.Helper()
	third := interval.Between(0.25, 0.5)
	row := []interval.Interval{third, third, third}
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "enclosed", Query: s.q}, [][]interval.Interval{row, row, row}, nil, nil)
	s.fail(err)
	return m
}

func (s smallCase) purest(eps evidence.Epsilon) *layers.Mechanism {
	s.t.Helper()
	m, err := layers.NewPurest(context.Background(), s.q, eps)
	s.fail(err)
	return m
}

func (s smallCase) exponential(eps evidence.Epsilon) mechanism.Mechanism {
	s.t.Helper()
	m, err := mechanism.NewExponential(context.Background(), s.q, eps)
	s.fail(err)
	return m
}

// parts returns the law with these weights.
func parts(weights ...int64) []*big.Rat {
	var sum int64
	for _, w := range weights {
		sum += w
	}
	out := make([]*big.Rat, len(weights))
	for i, w := range weights {
		out[i] = big.NewRat(w, sum)
	}
	return out
}

// some makes what certificates are written of.
type some struct {
	t   testing.TB
	rng *rand.Rand
}

func (s some) fail(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s some) eps(v float64) evidence.Epsilon {
	e, err := evidence.NewEpsilon("eps", v)
	s.fail(err)
	return e
}

func (s some) ln(num, den int64) evidence.Epsilon {
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	s.fail(err)
	return e
}

// anyEps is an ε with and without a rational power.
func (s some) anyEps() evidence.Epsilon {
	if s.rng.IntN(2) == 0 {
		return s.ln(3+s.rng.Int64N(5), 1+s.rng.Int64N(2))
	}
	return s.eps(0.01 + 2*s.rng.Float64())
}

// query is one of a few datasets on a tree, not always connected, with whole values.
func (s some) query() *query.Query {
	n := 2 + s.rng.IntN(4)
	var edges [][2]int
	values := make([]float64, n)
	for x := range n {
		if x > 0 && s.rng.IntN(8) > 0 {
			edges = append(edges, [2]int{s.rng.IntN(x), x})
		}
		values[x] = float64(s.rng.IntN(4))
	}
	space, err := query.NewPathSpace(n, edges)
	s.fail(err)
	var wide []float64
	if s.rng.IntN(2) == 0 {
		wide = []float64{-1, 0, 1, 2, 3, 5}
	}
	q, err := query.NewNumeric("f", space, values, wide)
	s.fail(err)
	return q
}

// graphs is a count on all graphs of some nodes.
func (s some) graphs(n int) *query.Query {
	g, err := query.NewGraphs(context.Background(), n)
	s.fail(err)
	q, err := g.Count("triangle")
	s.fail(err)
	return q
}

// table is a law of rational chances, some of them 0.
func (s some) table(q *query.Query) mechanism.Mechanism {
	rows := make([][]*big.Rat, q.Size())
	for x := range rows {
		total := int64(0)
		weights := make([]int64, len(q.Range()))
		for r := range weights {
			weights[r] = s.rng.Int64N(5)
			total += weights[r]
		}
		weights[0]++
		for _, w := range weights {
			rows[x] = append(rows[x], big.NewRat(w, total+1))
		}
	}
	m, err := mechanism.NewFinite(context.Background(), q, rows, nil)
	s.fail(err)
	return m
}

// mechanisms are some on a query, by rules and by a table.
func (s some) mechanisms(q *query.Query, eps evidence.Epsilon) []mechanism.Mechanism {
	ctx := context.Background()
	purest, err := layers.NewPurest(ctx, q, eps)
	s.fail(err)
	ladder, err := mechanism.NewLadder(ctx, q, eps)
	s.fail(err)
	exponential, err := mechanism.NewExponential(ctx, q, eps)
	s.fail(err)
	laplace, err := mechanism.NewLaplace(ctx, q, eps)
	s.fail(err)
	return []mechanism.Mechanism{purest, ladder, exponential, laplace, s.table(q)}
}

// compiled is the folder of the checker's compiled modules: each file has a process, which would compile them anew.
var compiled = sync.OnceValue(func() string { return must.Be(os.MkdirTemp("", "certificate")) })

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(compiled())
	os.Exit(code)
}

// Checker runs check.py on files, and returns its verdict on each. It skips the test if there is no Python.
func Checker(t testing.TB, files []string) map[string]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: certificates are not checked")
	}
	out := make(map[string]string)
	for len(files) > 0 {
		some := files[:min(len(files), 500)]
		files = files[len(some):]
		cmd := exec.Command(python, append([]string{"check.py"}, some...)...)
		cmd.Env = append(os.Environ(), "PYTHONPYCACHEPREFIX="+compiled(), "PYTHONDONTWRITEBYTECODE=")
		text, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			t.Fatalf("check.py: %v\n%s", err, exit.Stderr)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != len(some) {
			t.Fatalf("check.py says %d lines of %d files: %.2000s %v", len(lines), len(some), text, err)
		}
		for i, file := range some {
			out[file] = strings.TrimPrefix(lines[i], file+": ")
		}
	}
	return out
}

// judged are certificates with what check.py is to say of them, collected for one run of it.
type judged struct {
	t     *testing.T
	kept  []*File // those to be accepted, where nothing is to be judged
	dir   string
	paths []string
	what  []string // of each, why it must be rejected; "" where it must be accepted
}

func newJudged(t *testing.T) *judged {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	return &judged{t: t, dir: t.TempDir()}
}

// judge has what a generator makes judged, beside other tests.
func judge(t *testing.T, of func(j *judged)) {
	t.Helper()
	t.Parallel()
	j := newJudged(t)
	of(j)
	j.run()
}

// rounds is how often a generator goes round: less where nothing is judged, or tests take few cases.
func (j *judged) rounds(n int) int {
	if j.dir == "" || !cases.All() {
		return (n + 4) / 5
	}
	return n
}

// add puts a file among those to be judged.
func (j *judged) add(f *File, forged string) {
	j.t.Helper()
	if j.dir == "" {
		if forged == "" {
			j.kept = append(j.kept, f)
		}
		return
	}
	path := filepath.Join(j.dir, fmt.Sprintf("%04d.json", len(j.paths)))
	text := must.For(f.Encode(path))(j.t)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		j.t.Fatal(err)
	}
	j.paths, j.what = append(j.paths, path), append(j.what, forged)
}

// accepted puts the certificate of a number among them.
func (j *judged) accepted(n evidence.Number, err error) *File {
	j.t.Helper()
	if err != nil {
		j.t.Fatal(err)
	}
	f := must.For(Of(context.Background(), n))(j.t)
	j.add(f, "")
	return f
}

// number puts the certificate of a number among them, and copies of it whose ends are moved to the wrong side of the
// truth: each beyond the other by a unit in the last place.
func (j *judged) number(n evidence.Number, err error) *File {
	j.t.Helper()
	f := j.accepted(n, err)
	lo, hi := n.Bounds()
	if width := hi - lo; width > 0 && !math.IsInf(hi, 1) {
		if below := lo - width; below < lo && below >= 0 {
			j.add(f.with(object{"lo": float(below), "hi": float(math.Nextafter(lo, math.Inf(-1)))}), "the ends moved down")
		}
		if above := hi + width; above > hi && !math.IsInf(above, 1) {
			j.add(f.with(object{"lo": float(math.Nextafter(hi, above)), "hi": float(above)}), "the ends moved up")
		}
	}
	return f
}

// with returns the certificate with another number.
func (f *File) with(is object) *File {
	return f.saying("is", is)
}

// saying returns the certificate with something else in its statement.
func (f *File) saying(key string, value any) *File {
	out := *f
	out.statement = object{}
	for k, v := range f.statement {
		out.statement[k] = v
	}
	out.statement[key] = value
	return &out
}

// proving returns the certificate with something else in its proof, without the key where value is nil.
func (f *File) proving(key string, value any) *File {
	out := *f
	out.proof = object{}
	for k, v := range f.proof {
		out.proof[k] = v
	}
	if out.proof[key] = value; value == nil {
		delete(out.proof, key)
	}
	return &out
}

// run has all of them judged.
func (j *judged) run() {
	j.t.Helper()
	said := Checker(j.t, j.paths)
	for i, path := range j.paths {
		says := said[path]
		accepted := strings.HasPrefix(says, "accepted: ")
		switch {
		case accepted != (j.what[i] == ""), strings.Contains(says, "cannot be checked"):
			text, _ := os.ReadFile(path)
			j.t.Errorf("%s; forged: %q\n%.1500s", says, j.what[i], text)
		}
	}
}

// Originals returns certificates of every kind that the tests of this package have judged, each as it is written to a
// file.
func Originals(t *testing.T) map[string][][]byte {
	t.Helper()
	out := make(map[string][][]byte)
	for _, of := range []func(*judged){
		gaussians, designs, fillings, chances, flips, bits, universes, layersAndMigrations, comparisons, epsilonsAtDelta, compositions, tradeoffs, programs,
	} {
		j := &judged{t: t}
		of(j)
		for _, f := range j.kept {
			text := must.For(f.Encode(""))(t)
			kind := f.statement["kind"].(string)
			out[kind] = append(out[kind], text)
		}
	}
	return out
}
