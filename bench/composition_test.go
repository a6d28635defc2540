package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// purest returns the purest mechanism for the triangles of all graphs on n nodes.
func purest(b *testing.B, n int, decay evidence.Epsilon) mechanism.Mechanism {
	b.Helper()
	return must.Be(layers.NewPurest(b.Context(), must.Be(must.Be(query.NewGraphs(b.Context(), n)).Count("triangle")), decay))
}

// ε at δ = 10⁻⁶ of 1000 fixed uses on graphs of seven nodes, from the mechanism on.
func BenchmarkComposeGraphs7(b *testing.B) {
	m := purest(b, 7, must.Be(evidence.NewEpsilon("decay", 1)))
	for b.Loop() {
		all := must.Be(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{1000}))
		lo, hi := must.Be(all.Epsilon(b.Context(), 1e-6)).Bounds()
		b.ReportMetric((hi-lo)/hi, "relative-width")
	}
}

// A hundred orders of Rényi on graphs of seven nodes.
func BenchmarkRenyiGraphs7(b *testing.B) {
	m := purest(b, 7, must.Be(evidence.NewEpsilon("decay", 1)))
	for b.Loop() {
		a := privacy.New(mechanism.Pairs(m))
		for i := range int64(100) {
			must.Be(a.Renyi(b.Context(), big.NewRat(11+i, 10)))
		}
	}
}

// The same on graphs of five nodes, 100 uses, beside dp_accounting on the dominating pair, where the Python
// that WORKBENCH_ACCOUNTING names has it.
func BenchmarkComposeGraphs5(b *testing.B) {
	const uses, delta = 100, 1e-6
	m := purest(b, 5, must.Be(evidence.LogEpsilon("decay", big.NewRat(2, 1))))
	for b.Loop() {
		all := must.Be(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{uses}))
		must.Be(all.Epsilon(b.Context(), delta))
	}
	per := b.Elapsed().Seconds() / float64(b.N)
	all := must.Be(privacy.Compose(b.Context(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{uses}))
	b.Logf("fixed uses: ε = %v; adaptively chosen: %v", must.Be(all.Epsilon(b.Context(), delta)), must.Be(must.Be(all.Adaptive(b.Context())).Epsilon(b.Context(), delta)))
	seconds, epsilon, on, ok := accounting(b, m, uses, delta)
	if !ok {
		b.Log("no Python with dp_accounting: no comparison")
		return
	}
	b.Logf("%s on the dominating pair at 1e-4: ε = %.6f", on, epsilon)
	b.ReportMetric(seconds*1e9, "dp_accounting-ns/op")
	b.ReportMetric(seconds/per, "times-dp_accounting")
}

// δ from 10⁻³ to 10⁻³⁰ of 9,999 uses, a third each of Gaussian, Laplace and staircase noise, beside dp_accounting's at 1e-4 with its errors.
func BenchmarkComposeMixture(b *testing.B) {
	const each, sigma, scale = 3333, 50.0, 0.02
	eps := must.Be(evidence.NewEpsilon("eps", scale))
	grows := evidence.RationalAmount(big.NewRat(2, 5)) // the chance of the staircase's largest loss
	parts := func() *privacy.Account {
		families := []*privacy.Family{
			privacy.NormalFamily("Gaussian", "", interval.Int(1).Quo(interval.Float(sigma))),
			privacy.LaplaceFamily("Laplace", "", eps),
			privacy.StepFamily("staircase", "", eps, grows),
		}
		var accounts []*privacy.Account
		var times []int
		for _, f := range families {
			f.Constant = true
			accounts, times = append(accounts, privacy.New(f)), append(times, each)
		}
		return must.Be(privacy.Compose(b.Context(), accounts, times))
	}
	asked := []float64{7.5, 10, 15, 20, 24}
	var numbers []evidence.Number
	for b.Loop() {
		numbers = nil
		all := parts()
		for _, at := range asked {
			numbers = append(numbers, must.Be(all.Delta(b.Context(), must.Be(evidence.NewEpsilon("eps", at)))))
		}
	}
	per := b.Elapsed().Seconds() / float64(b.N)
	widest := 0.0
	for i, n := range numbers {
		lo, hi := n.Bounds()
		widest = max(widest, (hi-lo)/hi)
		b.Logf("δ(%g) in [%.9g, %.9g]", asked[i], lo, hi)
	}
	b.ReportMetric(widest, "widest")
	python := os.Getenv("WORKBENCH_ACCOUNTING")
	if python == "" {
		b.Log("no Python with dp_accounting: no comparison")
		return
	}
	args := []string{"accounting_mix.py", fmt.Sprint(each), fmt.Sprint(sigma), fmt.Sprint(scale), "0.4", "1e-4"}
	for _, at := range asked {
		args = append(args, fmt.Sprint(at))
	}
	cmd := exec.Command(python, args...)
	cmd.Stderr = os.Stderr
	out := strings.Fields(string(must.Be(cmd.Output())))
	seconds := must.Be(strconv.ParseFloat(out[0], 64))
	for i, n := range numbers {
		theirs := must.Be(strconv.ParseFloat(out[2+i], 64))
		lo, hi := n.Bounds()
		b.Logf("dp_accounting %s: δ(%g) = %.9g, off by %.2g to %.2g of it", out[1], asked[i], theirs, theirs/hi-1, theirs/lo-1)
	}
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
	for i, c := range must.Be(privacy.New(mechanism.Pairs(m)).Tradeoff(b.Context())).Corners {
		at := [2]float64{c.Alpha.Float(), 1 - c.Beta.Float()}
		if i > 0 {
			masses[0], masses[1] = append(masses[0], at[0]-last[0]), append(masses[1], at[1]-last[1])
		}
		last = at
	}
	cmd := exec.Command(python, "accounting.py", fmt.Sprint(uses), fmt.Sprint(delta), "1e-4", "5")
	cmd.Stdin = bytes.NewReader(must.Be(json.Marshal(masses)))
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
