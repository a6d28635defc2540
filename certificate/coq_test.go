package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// coqc runs Coq on a text, and returns Coq's output and whether Coq accepts the text.
type coqc func(t *testing.T, text string) (string, bool)

// coq compiles the Coq library in a temporary folder, and returns a coqc that runs there.
func coq(t *testing.T) coqc {
	t.Helper()
	if _, err := exec.LookPath("coqc"); err != nil {
		t.Skip("skipped: needs coqc")
	}
	room := t.TempDir()
	run := func(dir, file string) (string, bool) {
		command := exec.Command("coqc", "-q", "-Q", room, "Workbench", file)
		command.Dir = dir
		out, err := command.CombinedOutput()
		return string(out), err == nil
	}
	for _, name := range []string{"Mechanism.v", "Checks.v", "Layers.v"} {
		text := must.For(os.ReadFile(filepath.Join("coq", name)))(t)
		if err := os.WriteFile(filepath.Join(room, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, ok := run(room, name); !ok {
			t.Fatalf("%s: %s", name, out)
		}
	}
	return func(t *testing.T, text string) (string, bool) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "file.v"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return run(dir, "file.v")
	}
}

func triangles(t testing.TB, n int) *query.Query {
	t.Helper()
	return must.For(must.For(query.NewGraphs(t.Context(), n))(t).Count("triangle"))(t)
}

func ln(t *testing.T, base string) evidence.Epsilon {
	t.Helper()
	q, ok := new(big.Rat).SetString(base)
	if !ok {
		t.Fatal(base)
	}
	e := must.For(evidence.LogEpsilon("eps", q))(t)
	return e
}

// written returns the text of a file.
func written(t *testing.T, f *certificate.CoqFile, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// accepts fails unless Coq proves exactly the given theorem, without axioms.
func accepts(t *testing.T, check coqc, text, theorem string) {
	t.Helper()
	states(t, text, theorem)
	proved(t, check, text)
}

var coqWords = regexp.MustCompile(`\b[a-z_]+ q\b`)

// states fails unless the theorem of the text is the given one. Words of the given theorem that are followed by q are
// definitions of Mechanism.v, which the text qualifies.
func states(t *testing.T, text, theorem string) {
	t.Helper()
	if !strings.Contains(text, coqWords.ReplaceAllString(theorem, "Workbench.Mechanism.$0")+".\nProof") {
		t.Fatalf("the theorem is not %s:\n%s", theorem, text[strings.Index(text, "Theorem"):])
	}
}

// proved fails unless Coq accepts a file, and its theorem assumes no axiom.
func proved(t *testing.T, check coqc, text string) {
	t.Helper()
	if out, ok := check(t, text); !ok || !strings.HasSuffix(out, "Closed under the global context\n") {
		t.Errorf("accepted: %v, %s", ok, out)
	}
}

// refuses fails if Coq still proves the theorem after one part of the file is replaced.
func refuses(t *testing.T, check coqc, text, old, other string) {
	t.Helper()
	at := strings.LastIndex(text, old)
	if at < 0 {
		t.Fatalf("no %q in\n%s", old, text)
	}
	if out, ok := check(t, text[:at]+other+text[at+len(old):]); ok {
		t.Errorf("accepted with %q in place of %q: %s", other, old, out)
	}
}

// number returns the Coq file of a number.
func number(t *testing.T, n evidence.Number, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	f, err := certificate.Coq(context.Background(), n)
	return written(t, f, err)
}

func smallest(t *testing.T, m mechanism.Mechanism) string {
	t.Helper()
	n, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
	return number(t, n, err)
}

func optimum(t *testing.T, q *query.Query, w string, o optimize.Options) string {
	t.Helper()
	m := must.For(optimize.NewOptimal(context.Background(), q, ln(t, w), o))(t)
	return number(t, m.Optimum(), nil)
}

// row returns the law with these weights.
func row(weights ...int64) []*big.Rat {
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

func table(q *query.Query, rows ...[]*big.Rat) mechanism.Mechanism {
	return must.Be(mechanism.NewFinite(context.Background(), q, rows, nil))
}

// TestCoq runs Coq on the written files. Coq must reject a file with a changed number. TestCoqTexts needs no Coq: it
// compares the written files with committed ones.
func TestCoq(t *testing.T) {
	t.Parallel()
	if !cases.All() {
		t.Skip("skipped: WORKBENCH_FULL=1 asks for it")
	}
	check := coq(t)
	t.Run("proves", func(t *testing.T) { coqProves(t, check) })
	t.Run("refutes", func(t *testing.T) { coqRefutes(t, check) })
	t.Run("refuses", func(t *testing.T) { coqRefuses(t, check) })
}

// coqTheorem is a number, and the theorem in its file.
type coqTheorem struct {
	name, theorem string
	text          func(t *testing.T) string
}

// coqTheorems returns theorems of every kind, including extreme cases.
func coqTheorems(t *testing.T) []coqTheorem {
	t.Helper()
	ctx := context.Background()
	four, five := triangles(t, 4), triangles(t, 5)
	hundredth := big.NewRat(1, 100)
	third := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}
	line := chain(t, []float64{0, 2, 3}, nil)
	wide := chain(t, []float64{0, 2, 3}, []float64{-3, 0, 1, 2, 3, 7.5}) // −3 and 7.5 are dominated
	unreached := chain(t, []float64{0, 1, 0, 1}, []float64{0, 1, 2})
	apart := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(4, [][2]int{{0, 1}, {2, 3}})), []float64{0, 1, 4, 4}, nil))
	named := must.Be(query.New("(* a \"name\" *)", must.Be(must.Be(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})).Named([]any{"*)", "\"", "(*"})),
		[]query.Value{query.Name("red"), query.Name("*)"), query.Name("\"blue")}, nil, query.ValueMetric{Discrete: true}))
	two := ln(t, "2")
	return []coqTheorem{
		{"optimum G4", "optimum q (dp q 2) (mean q (uniform q)) (105 # 176)", func(t *testing.T) string { return optimum(t, four, "2", optimize.Options{}) }},
		{"optimum G5", "optimum q (dp q 2) (mean q (uniform q)) (18799 # 17408)", func(t *testing.T) string { return optimum(t, five, "2", optimize.Options{}) }},
		{"purest G5", "law q m /\\ purest q (1 # 2) m /\\ least_w q (52 # 19) m", func(t *testing.T) string { return smallest(t, must.Be(layers.NewPurest(ctx, five, two))) }},
		{"Ladder G5", "law q m /\\ ladder q (1 # 2) m /\\ least_w q (36 # 13) m", func(t *testing.T) string { return smallest(t, must.Be(mechanism.NewLadder(ctx, five, ln(t, "4")))) }},

		{"optimum G4 at 3", "optimum q (dp q 3) (mean q (uniform q)) (18545 # 42768)", func(t *testing.T) string { return optimum(t, four, "3", optimize.Options{}) }},
		{"optimum G5 at 3", "optimum q (dp q 3) (mean q (uniform q)) (1845196 # 2342277)", func(t *testing.T) string { return optimum(t, five, "3", optimize.Options{}) }},
		{"worst G4", "optimum q (dp q 2) (worst q) (8 # 7)", func(t *testing.T) string { return optimum(t, four, "2", optimize.Options{Objective: optimize.Worst}) }},
		{"worst G5", "optimum q (dp q 2) (worst q) (4884 # 2275)", func(t *testing.T) string { return optimum(t, five, "2", optimize.Options{Objective: optimize.Worst}) }},
		{"δ G4", "optimum q (dp_delta q 3 (1 # 100)) (mean q (uniform q)) (24899 # 59400)", func(t *testing.T) string {
			return optimum(t, four, "3", optimize.Options{Delta: evidencetest.RationalDelta(hundredth)})
		}},
		{"worst δ", "optimum q (dp_delta q 3 (1 # 100)) (worst q) (111 # 175)", func(t *testing.T) string {
			return optimum(t, line, "3", optimize.Options{Objective: optimize.Worst, Delta: evidencetest.RationalDelta(hundredth)})
		}},
		{"prior", "optimum q (dp q 2) (mean q prior) (7 # 9)", func(t *testing.T) string { return optimum(t, line, "2", optimize.Options{Prior: third}) }},
		{"dominated values", "optimum q (dp q 2) (mean q prior) (7 # 9)", func(t *testing.T) string { return optimum(t, wide, "2", optimize.Options{Prior: third}) }},
		{"dominated values, worst, δ", "optimum q (dp_delta q 2 (1 # 100)) (worst q) (591 # 700)", func(t *testing.T) string {
			return optimum(t, wide, "2", optimize.Options{Objective: optimize.Worst, Delta: evidencetest.RationalDelta(hundredth)})
		}},
		{"free", "optimum q (dp q 2) (mean q prior) 0", func(t *testing.T) string {
			return optimum(t, line, "2", optimize.Options{Prior: []*big.Rat{big.NewRat(1, 1), new(big.Rat), new(big.Rat)}})
		}},
		{"names", "optimum q (dp q 2) (mean q (uniform q)) (4 # 9)", func(t *testing.T) string { return optimum(t, named, "2", optimize.Options{}) }},
		{"purest of names", "law q m /\\ purest q (1 # 2) m /\\ least_w q (16 # 7) m", func(t *testing.T) string { return smallest(t, must.Be(layers.NewPurest(ctx, named, two))) }},
		{"unreached", "law q m /\\ purest q (1 # 2) m /\\ least_w q 2 m", func(t *testing.T) string { return smallest(t, must.Be(layers.NewPurest(ctx, unreached, two))) }},
		{"apart", "law q m /\\ purest q (1 # 2) m /\\ least_w q 2 m", func(t *testing.T) string { return smallest(t, must.Be(layers.NewPurest(ctx, apart, two))) }},
		{"Ladder apart", "law q m /\\ ladder q (1 # 2) m /\\ least_w q (52 # 25) m", func(t *testing.T) string { return smallest(t, must.Be(mechanism.NewLadder(ctx, apart, ln(t, "4")))) }},
		{"initial values", "law q m /\\ layered q (1 # 2) initial m /\\ least_w q (8 # 3) m", func(t *testing.T) string {
			return smallest(t, must.Be(layers.NewBasic(ctx, four, two, [][]int{{0}, {0, 1}, {2}, {}, {3}, {0}, {1}, {1, 2}, {0}, {3}, {3}})))
		}},
		{"no ε", "law q m /\\ forall w, ~ dp q w m", func(t *testing.T) string {
			return smallest(t, table(line, row(1, 1, 1), row(1, 0, 1), row(1, 1, 1)))
		}},
		{"ε = 0", "law q m /\\ least_w q 1 m", func(t *testing.T) string {
			return smallest(t, table(line, row(1, 2, 1), row(1, 2, 1), row(1, 2, 1)))
		}},
		{"least δ", "law q m /\\ purest q (1 # 2) m /\\ least_delta q 2 (28 # 247) m", func(t *testing.T) string {
			n, err := mechanism.Privacy(must.Be(layers.NewPurest(ctx, five, two))).Delta(ctx, two)
			return number(t, n, err)
		}},
		{"least δ of 0", "law q m /\\ purest q (1 # 2) m /\\ least_delta q 4 0 m", func(t *testing.T) string {
			n, err := mechanism.Privacy(must.Be(layers.NewPurest(ctx, four, two))).Delta(ctx, ln(t, "4"))
			return number(t, n, err)
		}},
		{"distortion", "law q m /\\ purest q (1 # 2) m /\\ distortion q m 7 == (28 # 33)", func(t *testing.T) string {
			return number(t, mechanism.Distortion(must.Be(layers.NewPurest(ctx, five, two)), 7), nil)
		}},
		{"mean distortion", "law q m /\\ purest q (1 # 2) m /\\ mean q prior m == (73 # 84)", func(t *testing.T) string {
			n, err := mechanism.ExpectedDistortion(ctx, must.Be(layers.NewPurest(ctx, line, two)), third)
			return number(t, n, err)
		}},
		{"private", "law q m /\\ purest q (1 # 2) m /\\ dp q 4 m", func(t *testing.T) string {
			f, _, err := certificate.CoqClaim(ctx, must.Be(layers.NewPurest(ctx, five, two)), ln(t, "4"), evidence.Delta{})
			return written(t, f, err)
		}},
		{"private with δ", "law q m /\\ purest q (1 # 2) m /\\ dp_delta q 2 (1 # 5) m", func(t *testing.T) string {
			f, _, err := certificate.CoqClaim(ctx, must.Be(layers.NewPurest(ctx, five, two)), two, evidencetest.Delta(0.2))
			return written(t, f, err)
		}},
	}
}

func coqProves(t *testing.T, check coqc) {
	for _, c := range coqTheorems(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			accepts(t, check, c.text(t), c.theorem)
		})
	}
}

// chain returns the query with neighbors x and x + 1.
func chain(t testing.TB, values, rng []float64) *query.Query {
	t.Helper()
	edges := make([][2]int, len(values)-1)
	for i := range edges {
		edges[i] = [2]int{i, i + 1}
	}
	return must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(len(values), edges)), values, rng))
}

// coqClaim is a false privacy claim, and the theorem in its file.
type coqClaim struct {
	name, theorem string
	m             mechanism.Mechanism
	w             string
	delta         *big.Rat
}

// coqClaims returns false claims about mechanisms of every kind.
func coqClaims(t *testing.T) []coqClaim {
	t.Helper()
	ctx := context.Background()
	four, steps, slope := triangles(t, 4), chain(t, []float64{0, 1, 2, 3}, nil), chain(t, []float64{0, 2, 3}, nil)
	two, bits := must.Be(query.NewGraphs(ctx, 3)), chain(t, []float64{0, 1}, nil)
	edges := must.Be(two.Count("edge"))
	third := big.NewRat(1, 3)
	printed := layers.Sets{At: []map[int][]int{{0: {0}, 1: {1}}, {0: {0}, 4: {1}}}}
	optimal := must.For(optimize.NewOptimal(ctx, four, ln(t, "3"), optimize.Options{}))(t)
	return []coqClaim{
		{"purest at its decay", "~ dp q 2 m", must.Be(layers.NewPurest(ctx, four, ln(t, "2"))), "2", nil},
		{"Proposition 3 as printed", "~ dp q 4 m", must.Be(layers.NewGeneral(ctx, bits, ln(t, "2"), printed, layers.Published)), "4", nil},
		{"Ladder at half its ε", "~ dp q 2 m", must.Be(mechanism.NewLadder(ctx, four, ln(t, "4"))), "2", nil},
		{"Laplace on less than Δf", "~ dp q 8 m", must.Be(mechanism.NewLaplace(ctx, slope, ln(t, "16"))), "8", nil},
		{"geometric", "~ dp q (3 # 2) m", must.Be(mechanism.NewGeometric(ctx, steps, ln(t, "2"))), "3/2", nil},
		{"exponential", "~ dp q (3 # 2) m", must.Be(mechanism.NewExponential(ctx, steps, ln(t, "4"))), "3/2", nil},
		{"optimal beyond its ε", "~ dp q (299 # 100) m", optimal, "299/100", nil},
		{"balls", "~ dp q 2 m", must.Be(layers.NewDeltaNeighborhood(ctx, four, ln(t, "2"), slices.Repeat([]float64{1}, four.Size()))), "2", nil},
		{"inverse sensitivity", "~ dp q 2 m", must.Be(mechanism.NewInverseSensitivity(ctx, edges, ln(t, "9"), new(big.Rat))), "2", nil},
		{"randomized response", "~ dp q (29 # 10) m", table(bits, row(3, 1), row(1, 3)), "29/10", nil},
		{"too small a δ", "~ dp_delta q 2 (1 # 9) m", table(bits, row(3, 1), row(1, 3)), "2", big.NewRat(1, 9)},
		{"δ alone", "~ dp_delta q (101 # 100) (1 # 3) m", table(slope, row(1, 0, 0), row(1, 1, 0), row(0, 1, 2)), "101/100", third},
	}
}

// text returns the Coq file that refutes the claim.
func (c coqClaim) text(t *testing.T) string {
	t.Helper()
	f, verdict, err := certificate.CoqClaim(context.Background(), c.m, ln(t, c.w), evidencetest.RationalDelta(c.delta))
	text := written(t, f, err)
	if verdict != evidence.Refuted {
		t.Fatalf("%s:\n%s", verdict, text)
	}
	states(t, text, c.theorem)
	return text
}

func coqRefutes(t *testing.T, check coqc) {
	for _, c := range coqClaims(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			proved(t, check, c.text(t))
		})
	}
}

// coqRefuses changes one number at a time in the statement, laws, layers, dual prices or witness, and fails if Coq
// still accepts the file.
func coqRefuses(t *testing.T, check coqc) {
	four := triangles(t, 4)
	least := optimum(t, four, "2", optimize.Options{})
	purest := smallest(t, must.Be(layers.NewPurest(context.Background(), four, ln(t, "2"))))
	rung := smallest(t, must.Be(mechanism.NewLadder(context.Background(), four, ln(t, "4"))))
	for _, c := range []struct {
		name, text, old, other string
	}{
		{"a smaller optimum", least, "(105 # 176)", "(104 # 176)"},
		{"a larger optimum", least, "(105 # 176)", "(106 # 176)"},
		{"more privacy", least, "dp q 2", "dp q (19 # 10)"},
		{"less privacy", least, "dp q 2", "dp q (21 # 10)"},
		{"another objective", least, "mean q (Workbench.Mechanism.uniform q)", "worst q"},
		{"a smaller w", purest, "(5 # 2)", "(24 # 10)"},
		{"a larger w", purest, "(5 # 2)", "(26 # 10)"},
		{"another law", purest, "[8; 4; 2; 1]", "[8; 3; 3; 1]"},
		{"no law", purest, "[16; 8; 2; 1]", "[16; 8; 2; 2]"},
		{"another level", purest, "[2; 2; 1; 0]", "[2; 1; 1; 0]"},
		{"another decay", purest, "purest q (1 # 2)", "purest q (1 # 3)"},
		{"another witness", purest, "(x := 8%nat)", "(x := 7%nat)"},
		{"another query", purest, "(8, 9); (9, 10)", "(8, 9); (8, 10)"},
		{"another mechanism", purest, "purest q (1 # 2)", "ladder q (1 # 2)"},
		{"another width", rung, "widths := widths", "widths := tl widths"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refuses(t, check, c.text, c.old, c.other)
		})
	}
}

// TestCoqErrors requests Coq files for numbers that have none.
func TestCoqErrors(t *testing.T) {
	ctx := context.Background()
	stopped, stop := context.WithCancel(ctx)
	stop()
	four := triangles(t, 4)
	purest := must.Be(layers.NewPurest(ctx, four, ln(t, "2")))
	one := must.Be(evidence.NewEpsilon("eps", 1))
	many := chain(t, make([]float64, 9000), nil)
	of := func(n evidence.Number, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		_, err = certificate.Coq(ctx, n)
		return err
	}
	optimal := func(eps evidence.Epsilon, o optimize.Options) evidence.Number {
		m := must.For(optimize.NewOptimal(ctx, four, eps, o))(t)
		return m.Optimum()
	}
	claim := func(m mechanism.Mechanism, eps evidence.Epsilon) error {
		_, _, err := certificate.CoqClaim(ctx, m, eps, evidence.Delta{})
		return err
	}
	for _, c := range []struct {
		err  error
		says string
	}{
		{of(evidence.FromFloat(1), nil), "claimed"},
		{of(purest.ClaimedEpsilon(), nil), "claimed"},
		{of(evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("nowhere")}, nil), "certificates do not support its method"},
		{of(mechanism.Privacy(must.Be(layers.NewPurest(ctx, four, one))).Epsilon(ctx, evidence.Delta{})), "not known to be rational"},
		{of(mechanism.Privacy(purest).Delta(ctx, one)), "want the logarithm of a rational number"},
		{of(optimal(one, optimize.Options{}), nil), "not known as a rational number"},
		{of(optimal(ln(t, "2"), optimize.Options{Rational: optimize.Never}), nil), "not known as a rational number"},
		{of(optimal(ln(t, "4"), optimize.Options{Objective: optimize.Pareto, Than: purest}), nil), `"pareto", want "mean" or "worst"`},
		{of(mechanism.Distortion(must.Be(layers.NewPurest(ctx, many, ln(t, "2"))), 0), nil), "want at most 16384"},
		{claim(purest, one), "want the logarithm of a rational number"},
		{claim(must.Be(layers.NewPurest(ctx, four, one)), ln(t, "2")), "not known to be rational"},
	} {
		if !errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", c.err, c.says)
		}
	}
	if err := new(certificate.CoqFile).Write(new(bytes.Buffer)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("Coq of a nil number: %v", err)
	}
	n := must.For(mechanism.Privacy(purest).Epsilon(ctx, evidence.Delta{}))(t)
	if _, err := certificate.Coq(stopped, n); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	for _, c := range []struct {
		eps   evidence.Epsilon
		delta *big.Rat
		want  evidence.Verdict
	}{
		{ln(t, "5/2"), nil, evidence.Confirmed},
		{ln(t, "249/100"), nil, evidence.Refuted},
		{evidence.Epsilon{}, nil, evidence.Refuted},
		{evidence.Epsilon{}, big.NewRat(2, 3), evidence.Confirmed},
	} {
		if _, verdict, err := certificate.CoqClaim(ctx, purest, c.eps, evidencetest.RationalDelta(c.delta)); verdict != c.want || err != nil {
			t.Errorf("(%v, %v): %s, %v, want %s", c.eps, c.delta, verdict, err, c.want)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/coq.txt anew")

// The Coq files equal testdata/coq.txt. TestCoq and `.ci/full` check them with Coq where it is installed. Elsewhere,
// this test ensures that the written files are the checked ones.
func TestCoqTexts(t *testing.T) {
	path := filepath.Join("testdata", "coq.txt")
	var all strings.Builder
	write := func(name, text string) { fmt.Fprintf(&all, "(* == %s == *)\n%s", name, text) }
	for _, c := range coqTheorems(t) {
		if strings.Contains(c.name, "G5 at 3") || c.name == "worst G5" {
			continue // these are slow, and of the same kinds as on four nodes
		}
		text := c.text(t)
		states(t, text, "Theorem statement : "+c.theorem)
		write(c.name, text)
	}
	for _, c := range coqClaims(t) {
		write(c.name, c.text(t))
	}
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded := must.For(os.ReadFile(path))(t)
	got, want := strings.Split(all.String(), "\n"), strings.Split(string(recorded), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d of %s differs: check it with Coq (WORKBENCH_FULL=1), then go test ./certificate -run CoqTexts -update", i+1, path)
		}
	}
}
