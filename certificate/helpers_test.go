package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// smallCase makes mechanisms for a query on a path of three datasets.
type smallCase struct {
	generator
	q *query.Query
}

func newSmallCase(t testing.TB) smallCase {
	t.Helper()
	return smallCase{generator{t: t}, chain(t, []float64{0, 1, 3}, nil)}
}

// rational returns a table of rational probabilities.
func (s smallCase) rational() mechanism.Mechanism {
	return table(s.q, row(2, 1, 1), row(1, 2, 1), row(1, 1, 3))
}

// enclosed returns a table of enclosed probabilities.
func (s smallCase) enclosed() mechanism.Mechanism {
	s.t.Helper()
	third := interval.Between(0.25, 0.5)
	law := []interval.Interval{third, third, third}
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "enclosed", Query: s.q}, [][]interval.Interval{law, law, law}, nil, nil)
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

// generator makes the queries, ε and mechanisms for certificates.
type generator struct {
	t   testing.TB
	rng *rand.Rand
}

func (s generator) fail(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s generator) eps(v float64) evidence.Epsilon {
	e, err := evidence.NewEpsilon("eps", v)
	s.fail(err)
	return e
}

func (s generator) ln(num, den int64) evidence.Epsilon {
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	s.fail(err)
	return e
}

// anyEps returns an ε, with or without a rational e^ε.
func (s generator) anyEps() evidence.Epsilon {
	if s.rng.IntN(2) == 0 {
		return s.ln(3+s.rng.Int64N(5), 1+s.rng.Int64N(2))
	}
	return s.eps(0.01 + 2*s.rng.Float64())
}

// query returns an integer query on a few datasets whose neighbors form a tree or several trees.
func (s generator) query() *query.Query {
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

// table returns a table of rational probabilities, some of them 0.
func (s generator) table(q *query.Query) mechanism.Mechanism {
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
	return table(q, rows...)
}

// mechanisms returns mechanisms for a query, some given by rules and one by a table.
func (s generator) mechanisms(q *query.Query, eps evidence.Epsilon) []mechanism.Mechanism {
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

// compiled is the folder of the checker's compiled modules. Without it, every checker process would compile them
// again.
var compiled = sync.OnceValue(func() string { return must.Be(os.MkdirTemp("", "certificate")) })

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(compiled())
	os.Exit(code)
}

// checker runs check.py on files, and returns its verdict on each file. It skips the test if Python is not installed.
func checker(t testing.TB, files []string) map[string]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: certificates are not checked")
	}
	out := make(map[string]string)
	for len(files) > 0 {
		batch := files[:min(len(files), 500)]
		files = files[len(batch):]
		cmd := exec.Command(python, append([]string{"check.py"}, batch...)...)
		cmd.Env = append(os.Environ(), "PYTHONPYCACHEPREFIX="+compiled(), "PYTHONDONTWRITEBYTECODE=")
		text, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			t.Fatalf("check.py: %v\n%s", err, exit.Stderr)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != len(batch) {
			t.Fatalf("check.py prints %d lines for %d files: %.2000s %v", len(lines), len(batch), text, err)
		}
		for i, file := range batch {
			out[file] = strings.TrimPrefix(lines[i], file+": ")
		}
	}
	return out
}

// checkerCases collects certificates and the verdicts that they must get, for one run of check.py.
type checkerCases struct {
	t     *testing.T
	kept  [][]byte // certificates that must be accepted, if they are collected without running check.py
	dir   string
	paths []string
	what  []string // why each file must be rejected; "" if it must be accepted
}

func newCheckerCases(t *testing.T) *checkerCases {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	return &checkerCases{t: t, dir: t.TempDir()}
}

// checkAll runs check.py on the certificates that the function of adds, in parallel with other tests.
func checkAll(t *testing.T, of func(j *checkerCases)) {
	t.Helper()
	t.Parallel()
	j := newCheckerCases(t)
	of(j)
	j.run()
}

// rounds returns the number of rounds of a generator: n, or a fifth of it if certificates are only collected or the run
// is short.
func (j *checkerCases) rounds(n int) int {
	if j.dir == "" || !cases.All() {
		return (n + 4) / 5
	}
	return n
}

// add adds a file. forged says why check.py must reject it; "" means that it must be accepted.
func (j *checkerCases) add(f *document, forged string) {
	j.t.Helper()
	if j.dir == "" {
		if forged == "" {
			j.kept = append(j.kept, f.written())
		}
		return
	}
	path := filepath.Join(j.dir, fmt.Sprintf("%04d.json", len(j.paths)))
	if err := os.WriteFile(path, f.written(), 0o600); err != nil {
		j.t.Fatal(err)
	}
	j.paths, j.what = append(j.paths, path), append(j.what, forged)
}

// original adds a certificate without changes.
func (j *checkerCases) original(f *certificate.File, err error) *document {
	j.t.Helper()
	d := documentOf(f, err)(j.t)
	j.add(d, "")
	return d
}

// accepted adds the certificate of a number.
func (j *checkerCases) accepted(n evidence.Number, err error) *document {
	j.t.Helper()
	if err != nil {
		j.t.Fatal(err)
	}
	return j.original(certificate.Of(context.Background(), n))
}

// number adds the certificate of a number. It also adds copies that must be rejected, whose enclosure is moved to just
// below or just above the original.
func (j *checkerCases) number(n evidence.Number, err error) *document {
	j.t.Helper()
	f := j.accepted(n, err)
	lo, hi := n.Bounds()
	if width := hi - lo; width > 0 && !math.IsInf(hi, 1) {
		if below := lo - width; below < lo && below >= 0 {
			j.add(f.with(object{"lo": exact(below), "hi": exact(math.Nextafter(lo, math.Inf(-1)))}), "the ends moved down")
		}
		if above := hi + width; above > hi && !math.IsInf(above, 1) {
			j.add(f.with(object{"lo": exact(math.Nextafter(hi, above)), "hi": exact(above)}), "the ends moved up")
		}
	}
	return f
}

// object and list are the composite values of a certificate.
type (
	object = map[string]any
	list   = []any
)

// document is the content of a certificate.
type document struct {
	text             []byte // as written, nil after a change
	file             object
	statement, proof object
}

// documentOf reads a certificate.
func documentOf(f *certificate.File, err error) func(t testing.TB) *document {
	return func(t testing.TB) *document {
		t.Helper()
		text := must.For(must.For(f, err)(t).Encode(""))(t)
		file := decoded(t, text)
		return &document{text, file, file["statement"].(object), file["proof"].(object)}
	}
}

// with returns the certificate with another number.
func (d *document) with(is object) *document {
	return d.saying("is", is)
}

// saying returns the certificate with a changed statement.
func (d *document) saying(key string, value any) *document {
	statement := maps.Clone(d.statement)
	statement[key] = value
	return &document{nil, d.file, statement, d.proof}
}

// proving returns the certificate with a changed proof; a nil value removes the key.
func (d *document) proving(key string, value any) *document {
	proof := maps.Clone(d.proof)
	if proof[key] = value; value == nil {
		delete(proof, key)
	}
	return &document{nil, d.file, d.statement, proof}
}

// written returns the content of the file.
func (d *document) written() []byte {
	if d.text != nil {
		return d.text
	}
	file := maps.Clone(d.file)
	file["statement"], file["proof"] = d.statement, d.proof
	return signed(file)
}

// exact formats a finite float64 exactly.
func exact(v float64) string { return new(big.Rat).SetFloat64(v).RatString() }

// run runs check.py on all files and compares the verdicts.
func (j *checkerCases) run() {
	j.t.Helper()
	said := checker(j.t, j.paths)
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

// originals returns encoded certificates of every kind from the generators.
func originals(t *testing.T) map[string][][]byte {
	t.Helper()
	out := make(map[string][][]byte)
	for _, of := range []func(*checkerCases){
		gaussians, designs, fillings, chances, flips, bits, universes, layersAndMigrations, comparisons, epsilonsAtDelta, compositions, tradeoffs, programs,
	} {
		j := &checkerCases{t: t}
		of(j)
		for _, text := range j.kept {
			kind := kindOf(t, text)
			out[kind] = append(out[kind], text)
		}
	}
	return out
}
