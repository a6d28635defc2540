package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/claims/mvg"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
)

// near reports an error unless got equals want, the result of another method, to 1e-9 relative.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// experiment is a row of the tables of Section 8 of the paper on the MVG mechanism.
type experiment struct {
	m, n, records float64
	s2, gamma     float64
	equimodal     bool
	third         bool // noise of Theorem 3, otherwise of Theorem 2
}

var experiments = map[string]experiment{
	"Experiment I:":               {6, 248, 248, 2 * math.Sqrt(6), math.Sqrt(6 * 248), false, false},
	"Experiment II:":              {4, 4, 10176, 8e4 / 10176, 4e4, true, false},
	"Experiment II by Theorem 3:": {4, 4, 10176, 8e4 / 10176, 4e4, true, true},
	"Experiment III:":             {21, 2126, 2126, math.Sqrt(21), math.Sqrt(21 * 2126), false, false},
}

// noise returns the root mean square of the noise of Theorem 2 or 3 with uniform precision, at ε = 1 and δ =
// 1/records.
func (x experiment) noise() float64 {
	first, second := 0.0, 0.0 // H_r and H_{r,1/2}
	for i := 1.0; i <= min(x.m, x.n); i++ {
		first, second = first+1/i, second+1/math.Sqrt(i)
	}
	mn, ln := x.m*x.n, math.Log(x.records)
	zeta := math.Sqrt(2*math.Sqrt(mn*ln) + 2*ln + mn)
	alpha, beta := (first+second)*x.gamma*x.gamma+2*first*x.gamma*x.s2, 2*math.Pow(mn, 0.25)*zeta*first*x.s2
	if x.third {
		alpha = 4 * first * x.gamma * x.s2
	}
	d := math.Pow(4/(beta+math.Sqrt(beta*beta+8*alpha)), 2) // ((√(β² + 8α) − β)/2α)², without cancellation
	if x.equimodal {
		return math.Sqrt(x.m / d)
	}
	return math.Pow(x.m*x.n/(d*d), 0.25)
}

// normalTail returns P(Z > x) for a standard normal Z.
func normalTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

func table(t *testing.T, instance string, shown []check.Item) bool {
	t.Helper()
	var items []float64
	for _, i := range shown {
		items = append(items, i.Number.Float())
	}
	x := experiments[instance]
	near(t, instance+" element sd", items[0], x.noise())
	a, b := x.s2/(2*items[1]), items[1]/x.s2
	if delta := normalTail(b-a) - math.E*normalTail(a+b); math.Abs(delta*x.records-1) > 1e-6 {
		t.Errorf("%s: Gaussian noise of standard deviation %v has δ = %v at ε = 1, want 1/%v", instance, items[1], delta, x.records)
	}
	// The instance counts if the noise is private at an ε below the claimed one and more than ten times that of the
	// analytic Gaussian mechanism. Then less noise suffices, possibly no more than a baseline's.
	return items[2] < 1 && items[0] > 10*items[1]
}

// panels describes the evidence of the claims whose checks only report numbers and search no instances.
var panels = map[string]checktest.Panel{
	"mvg.table3": {Head: 10, Each: 3, Family: []string{"Experiment I:"}, NonVacuous: 1, Check: table},
	"mvg.table4": {Head: 4, Each: 3, Family: []string{"Experiment II:", "Experiment II by Theorem 3:"}, NonVacuous: 2, Check: table},
	"mvg.table5": {Head: 3, Each: 3, Family: []string{"Experiment III:"}, NonVacuous: 1, Check: table},

	"mvg.table3.ranking":       {Head: 0, Each: 3, Family: kernels("Gaussian", "JL", "Laplace", "Exponential"), NonVacuous: 7, Check: ranked},
	"mvg.table3.exact":         {Head: 0, Each: 3, Family: kernels("Gaussian", "JL", "Laplace", "Exponential"), NonVacuous: 7, Check: ranked},
	"mvg.table4.exact":         {Head: 0, Each: 3, Family: []string{"Gaussian, analytic", "Gaussian, Dwork", "JL", "Laplace", "Exponential"}, NonVacuous: 5, Check: ranked},
	"mvg.table5.ranking":       {Head: 0, Each: 3, Family: []string{"Gaussian", "JL", "Laplace", "Exponential"}, NonVacuous: 4, Check: ranked},
	"mvg.table5.exact":         {Head: 0, Each: 3, Family: []string{"Gaussian", "JL", "Laplace", "Exponential"}, NonVacuous: 4, Check: ranked},
	"mvg.section10.2":          {Head: 0, Each: 3, Family: kernels("Gaussian", "JL"), NonVacuous: 4, Check: ranked},
	"mvg.section10.2.exact":    {Head: 0, Each: 3, Family: kernels("Gaussian", "JL"), NonVacuous: 4, Check: ranked},
	"mvg.figure4.left":         {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), NonVacuous: 21, Check: pointed},
	"mvg.figure4.left.exact":   {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000", "3000"), NonVacuous: 30, Check: pointed},
	"mvg.figure4.middle":       {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), NonVacuous: 21, Check: pointed},
	"mvg.figure4.middle.exact": {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), NonVacuous: 21, Check: pointed},
	"mvg.figure4.right":        {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), NonVacuous: 14, Check: pointed},
	"mvg.figure4.right.exact":  {Head: 0, Each: 1, Family: directions([]string{"(b)", "(c)"}, "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000", "3000"), NonVacuous: 20, Check: pointed},
}

// kernels returns the names of the other mechanisms for each kernel of Experiment I's regression.
func kernels(others ...string) (out []string) {
	for _, kernel := range []string{"Gaussian kernel, ", "linear kernel, "} {
		for _, r := range others {
			out = append(out, kernel+r)
		}
	}
	return out
}

// directions returns the labels of the directions that (a) is compared with, at each ε.
func directions(names []string, epsilons ...string) (out []string) {
	for _, e := range epsilons {
		for _, n := range names {
			out = append(out, "ε = "+e+", "+n)
		}
	}
	return out
}

// ranked checks that the mean of the differences is the difference of the means, to the committed digits. It returns
// the result of pointed.
func ranked(t *testing.T, instance string, items []check.Item) bool {
	t.Helper()
	ours, theirs, gap := items[1].Number.Float(), items[0].Number.Float(), items[2].Number.Float()
	if math.Abs(gap-(theirs-ours)) > 1e-7*(theirs+ours) {
		t.Errorf("%s: the means are %v and %v, but the difference is %v", instance, theirs, ours, gap)
	}
	return pointed(t, instance, items[2:])
}

// pointed checks that a difference is the middle of its interval, as in Student's t interval, to the committed digits.
// It reports whether the interval has positive width. If so, the draws could have contradicted the claim, and the
// instance counts.
func pointed(t *testing.T, instance string, items []check.Item) bool {
	t.Helper()
	gap, ok := items[0].Number.(evidence.Estimated)
	if middle := (gap.Lo + gap.Hi) / 2; !ok || math.Abs(middle-gap.Value) > 1e-7*max(math.Abs(gap.Lo), math.Abs(gap.Hi)) || gap.Confidence != 0.99 {
		t.Errorf("%s: %v", instance, gap)
	}
	return gap.Lo < gap.Value && gap.Value < gap.Hi
}

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: mvg.Claims(), Sizes: sizes, Repeated: repeated, Panels: panels}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: mvg.Claims()}.Interrupted(t, ctxtest.CancelOnce)
}
