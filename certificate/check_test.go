package certificate_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// save writes the certificate of a number into a folder, and returns its path.
func save(t testing.TB, dir, name string, n evidence.Number) string {
	t.Helper()
	f, err := certificate.Of(context.Background(), n)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	path := filepath.Join(dir, name)
	text := must.For(f.Encode(path))(t)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// someQuery returns a query on a few datasets, on a path space that may be disconnected or on a metric space.
func someQuery(t testing.TB, rng *rand.Rand) *query.Query {
	n := 2 + rng.IntN(4)
	var space *query.Space
	if rng.IntN(3) > 0 {
		var edges [][2]int
		for x := 1; x < n; x++ {
			if rng.IntN(8) > 0 {
				edges = append(edges, [2]int{rng.IntN(x), x})
			}
		}
		space = must.For(query.NewPathSpace(n, edges))(t)
	} else {
		at := make([]float64, n)
		for x := 1; x < n; x++ {
			at[x] = at[x-1] + []float64{0.5, 1, 1.5, 2.25}[rng.IntN(4)]
		}
		distances := make([][]float64, n)
		for x := range distances {
			for y := range n {
				distances[x] = append(distances[x], max(at[x]-at[y], at[y]-at[x]))
			}
		}
		space = must.For(query.NewMatrixSpace(distances))(t)
	}
	values := make([]float64, n)
	for x := range values {
		values[x] = []float64{0, 1, 2, 3.5}[rng.IntN(4)]
	}
	var wide []float64
	if rng.IntN(2) == 0 {
		wide = []float64{-1, 0, 1, 2, 3.5, 7}
	}
	return must.For(query.NewNumeric("f", space, values, wide))(t)
}

// someEpsilon returns an ε of a random kind: with rational e^ε, rational, tiny, large, or half a logarithm.
func someEpsilon(t testing.TB, rng *rand.Rand) evidence.Epsilon {
	if v := []float64{1, 0.1, 1e-7, 12, 0, 0, 0}[rng.IntN(7)]; v > 0 {
		return must.For(evidence.NewEpsilon("eps", v))(t)
	}
	return must.For(evidence.LogEpsilon("eps", big.NewRat(3+rng.Int64N(5), 1+rng.Int64N(2))))(t).Ratio(1, 1+rng.Int64N(2))
}

// someMechanisms returns a mechanism of every kind that the query allows.
func someMechanisms(t testing.TB, rng *rand.Rand, q *query.Query, eps evidence.Epsilon) []mechanism.Mechanism {
	ctx := context.Background()
	out := []mechanism.Mechanism{
		must.For(layers.NewPurest(ctx, q, eps))(t), must.For(mechanism.NewLadder(ctx, q, eps))(t), must.For(mechanism.NewExponential(ctx, q, eps))(t),
		must.For(mechanism.NewLaplace(ctx, q, eps))(t), must.For(layers.NewBalls(ctx, q, eps, radii(rng, q.Size())))(t),
	}
	if m, err := mechanism.NewGeometric(ctx, q, eps); err == nil {
		out = append(out, m)
	}
	sets := layers.Sets{At: make([]map[int][]int, q.Size())}
	for x := range sets.At {
		sets.At[x] = map[int][]int{0: {rng.IntN(len(q.Range()))}, 1 + rng.IntN(3): {rng.IntN(len(q.Range()))}}
	}
	for _, rule := range []layers.Rule{layers.Closure, layers.Published} {
		out = append(out, must.For(layers.NewGeneral(ctx, q, eps, sets, rule))(t))
	}
	rows := make([][]float64, q.Size())
	for x := range rows {
		for range q.Range() {
			rows[x] = append(rows[x], float64(1+rng.IntN(9)))
		}
	}
	table := must.For(mechanism.NewTable(mechanism.Info{Name: "table", Query: q}, rows, nil))(t)
	return append(out, table, must.For(discretize.New(ctx, table, must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)))(t))
}

func radii(rng *rand.Rand, n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for x := range out {
		out[x] = big.NewRat(rng.Int64N(4), 2)
	}
	return out
}

// someNumbers calls use with numbers about finite mechanisms that have certificates.
func someNumbers(t testing.TB, rng *rand.Rand, queries int, use func(name string, n evidence.Number)) {
	ctx := context.Background()
	for i := range queries {
		q := someQuery(t, rng)
		eps := someEpsilon(t, rng)
		for k, m := range someMechanisms(t, rng, q, eps) {
			name := func(what string) string { return fmt.Sprintf("%s_%d_%d", what, i, k) }
			use(name("epsilon"), must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t))
			use(name("delta"), must.For(mechanism.Privacy(m).Delta(ctx, someEpsilon(t, rng)))(t))
			use(name("distance"), must.For(mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{}))(t))
			use(name("distortion"), mechanism.Distortion(m, rng.IntN(q.Size())))
			use(name("mean"), must.For(mechanism.ExpectedDistortion(ctx, m, nil))(t))
		}
		for k, o := range []optimize.Options{{}, {Objective: optimize.Worst}, {Delta: evidencetest.RationalDelta(big.NewRat(1, 10))}, {Objective: optimize.Worst, Delta: evidencetest.RationalDelta(big.NewRat(1, 7))}} {
			m, err := optimize.NewOptimal(ctx, q, eps, o)
			if m == nil { // an optimum that is wider than requested still has a certificate
				t.Fatal(err)
			}
			use(fmt.Sprintf("optimum_%d_%d", i, k), m.Optimum())
		}
	}
}

// The checker accepts every written certificate, for mechanisms of every kind and ε in every form.
func TestCertificatesAreAccepted(t *testing.T) {
	t.Parallel()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 1))
	var files []string
	someNumbers(t, rng, cases.Of(4, 12), func(name string, n evidence.Number) { files = append(files, save(t, dir, name+".json", n)) })
	g := must.For(query.NewGraphs(context.Background(), 4))(t)
	for _, pattern := range []string{"edge", "triangle", "2-star", "3-star", "4-clique", "4-cycle"} {
		q := must.For(g.Count(pattern))(t)
		m := must.For(layers.NewPurest(context.Background(), q, someEpsilon(t, rng)))(t)
		files = append(files, save(t, dir, pattern+".json.gz", must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)))
	}
	for file, said := range checker(t, files) {
		if !strings.HasPrefix(said, "accepted: ") {
			t.Errorf("%s: %s", filepath.Base(file), said)
		}
	}
	t.Logf("%d certificates", len(files))
}

// Numbers that are claimed, estimated or supplied by the caller have no certificate, and the error says so.
func TestOfRejectsUnprovedNumbers(t *testing.T) {
	for _, c := range []struct {
		n    evidence.Number
		want string
	}{
		{evidence.Claimed{Value: 1}, "claimed"},
		{evidence.Estimated{Value: 1, Lo: 0, Hi: 2, Confidence: 0.9}, "an estimate"},
		{evidence.Certified{Lo: 1, Hi: 2, Provenance: evidence.Provenance{Method: "cells of radius"}}, "cells of radius"},
		{evidence.Certified{Lo: 2, Hi: 1}, "exceeds its upper bound"},
	} {
		if _, err := certificate.Of(context.Background(), c.n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want an error that says %q", c.n, err, c.want)
		}
	}
}
