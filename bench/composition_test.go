package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// purest returns the purest mechanism for the triangles of all graphs on n nodes.
func purest(b *testing.B, n int, decay evidence.Epsilon) mechanism.Mechanism {
	b.Helper()
	return must(layers.NewPurest(b.Context(), must(must(query.NewGraphs(b.Context(), n)).Count("triangle")), decay))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ε at δ = 10⁻⁶ of 1000 fixed uses on graphs of seven nodes, from the mechanism on.
func BenchmarkComposeGraphs7(b *testing.B) {
	m := purest(b, 7, must(evidence.NewEpsilon("decay", 1)))
	for b.Loop() {
		all := must(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{1000}))
		lo, hi := must(all.Epsilon(b.Context(), 1e-6)).Bounds()
		b.ReportMetric((hi-lo)/hi, "relative-width")
	}
}

// A hundred orders of Rényi on graphs of seven nodes.
func BenchmarkRenyiGraphs7(b *testing.B) {
	m := purest(b, 7, must(evidence.NewEpsilon("decay", 1)))
	for b.Loop() {
		a := privacy.New(mechanism.Pairs(m))
		for i := range int64(100) {
			must(a.Renyi(b.Context(), big.NewRat(11+i, 10)))
		}
	}
}

// The same on graphs of five nodes, 100 uses, beside dp_accounting on the dominating pair, where the Python
// that WORKBENCH_ACCOUNTING names has it.
func BenchmarkComposeGraphs5(b *testing.B) {
	const uses, delta = 100, 1e-6
	m := purest(b, 5, must(evidence.LogEpsilon("decay", big.NewRat(2, 1))))
	for b.Loop() {
		all := must(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{uses}))
		must(all.Epsilon(b.Context(), delta))
	}
	per := b.Elapsed().Seconds() / float64(b.N)
	all := must(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{uses}))
	b.Logf("fixed uses: ε = %v; adaptively chosen: %v", must(all.Epsilon(b.Context(), delta)), must(must(all.Adaptive(b.Context())).Epsilon(b.Context(), delta)))
	seconds, epsilon, on, ok := accounting(b, m, uses, delta)
	if !ok {
		b.Log("no Python with dp_accounting: no comparison")
		return
	}
	b.Logf("%s on the dominating pair at 1e-4: ε = %.6f", on, epsilon)
	b.ReportMetric(seconds*1e9, "dp_accounting-ns/op")
	b.ReportMetric(seconds/per, "times-dp_accounting")
}

// accounting composes the dominating pair of m with dp_accounting.
func accounting(b *testing.B, m mechanism.Mechanism, uses int, delta float64) (seconds, epsilon float64, on string, ok bool) {
	b.Helper()
	python := os.Getenv("WORKBENCH_ACCOUNTING")
	if python == "" {
		return 0, 0, "", false
	}
	var masses [2][]float64 // by the steps between the corners of the trade-off function
	var last [2]float64
	for i, c := range must(privacy.New(mechanism.Pairs(m)).Tradeoff(b.Context())).Corners {
		at := [2]float64{c.Alpha.Float(), 1 - c.Beta.Float()}
		if i > 0 {
			masses[0], masses[1] = append(masses[0], at[0]-last[0]), append(masses[1], at[1]-last[1])
		}
		last = at
	}
	cmd := exec.Command(python, "accounting.py", fmt.Sprint(uses), fmt.Sprint(delta), "1e-4", "5")
	cmd.Stdin = bytes.NewReader(must(json.Marshal(masses)))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, "", false
	}
	var version string
	if _, err := fmt.Sscan(string(out), &seconds, &epsilon, &version); err != nil {
		return 0, 0, "", false
	}
	return seconds, epsilon, "dp_accounting " + version, true
}
