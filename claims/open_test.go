package claims_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims/check"
)

// panel is what a claim without a statement shows: items of evidence, so many at each
// instance of a family after head of them.
type panel struct {
	head, each int
	family     []string // a part of the label of every item at each instance
	bites      int      // at how many instances the claim could hold, and could fail, by what is shown
	// check holds the items of one instance against another route, and reports whether
	// the claim could hold there and could fail.
	check func(t *testing.T, instance string, items []float64) (could, couldNot bool)
}

// near fails unless a number is what another route gives.
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
	third         bool // by Theorem 3
}

var experiments = map[string]experiment{
	"Experiment I:":               {6, 248, 248, 2 * math.Sqrt(6), math.Sqrt(6 * 248), false, false},
	"Experiment II:":              {4, 4, 10176, 8e4 / 10176, 4e4, true, false},
	"Experiment II by Theorem 3:": {4, 4, 10176, 8e4 / 10176, 4e4, true, true},
	"Experiment III:":             {21, 2126, 2126, math.Sqrt(21), math.Sqrt(21 * 2126), false, false},
}

// noise is the root mean square of the noise of Theorem 2 or 3 at ε = 1, δ = 1/n, with
// uniform precision.
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

// normalTail is P(Z > x).
func normalTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

func table(t *testing.T, instance string, items []float64) (could, couldNot bool) {
	x := experiments[instance]
	near(t, instance+" element sd", items[0], x.noise())
	a, b := x.s2/(2*items[1]), items[1]/x.s2
	if delta := normalTail(b-a) - math.E*normalTail(a+b); math.Abs(delta*x.records-1) > 1e-6 {
		t.Errorf("%s: Gaussian noise of standard deviation %v has δ = %v at ε = 1, want 1/%v", instance, items[1], delta, x.records)
	}
	// Private with less than the ε claimed: a smaller noise would do, of which a baseline could be near.
	return items[2] < 1, items[0] > 10*items[1]
}

// panels are the claims that no statement is searched for, and what they show.
var panels = map[string]panel{
	"analytic.figure1.neighborhood": {0, 1, func() (out []string) {
		for _, order := range []string{"sparsest", "densest", "fewest triangles"} {
			for _, e := range []string{"0.5", "1", "2", "3", "4"} {
				out = append(out, order+" ε = "+e)
			}
		}
		return out
	}(), 7, func(t *testing.T, instance string, items []float64) (could, couldNot bool) {
		if graphs := 100 * items[0]; math.Abs(graphs-math.Round(graphs)) > 1e-9 {
			t.Errorf("%s: %v of a hundred graphs", instance, graphs)
		}
		return items[0] > 0, items[0] < 1
	}},
	"mvg.table3": {10, 3, []string{"Experiment I:"}, 1, table},
	"mvg.table4": {4, 3, []string{"Experiment II:", "Experiment II by Theorem 3:"}, 2, table},
	"mvg.table5": {3, 3, []string{"Experiment III:"}, 1, table},

	"mvg.table3.ranking":       {0, 3, kernels("Gaussian", "JL", "Laplace", "Exponential"), 0, ranked},
	"mvg.table3.exact":         {0, 3, kernels("Gaussian", "JL", "Laplace", "Exponential"), 0, ranked},
	"mvg.table4.exact":         {0, 3, []string{"Gaussian, analytic", "Gaussian, Dwork", "JL", "Laplace", "Exponential"}, 0, ranked},
	"mvg.table5.ranking":       {0, 3, []string{"Gaussian", "JL", "Laplace", "Exponential"}, 0, ranked},
	"mvg.table5.exact":         {0, 3, []string{"Gaussian", "JL", "Laplace", "Exponential"}, 0, ranked},
	"mvg.section10.2":          {0, 3, kernels("Gaussian", "JL"), 0, ranked},
	"mvg.section10.2.exact":    {0, 3, kernels("Gaussian", "JL"), 0, ranked},
	"mvg.figure4.left":         {0, 1, directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), 0, nothing},
	"mvg.figure4.left.exact":   {0, 1, directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000", "3000"), 0, nothing},
	"mvg.figure4.middle":       {0, 1, directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), 0, nothing},
	"mvg.figure4.middle.exact": {0, 1, directions([]string{"(b)", "(c)", "(d)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), 0, nothing},
	"mvg.figure4.right":        {0, 1, directions([]string{"(b)", "(c)"}, "0.1", "0.2", "0.5", "1", "2", "5", "10"), 0, nothing},
	"mvg.figure4.right.exact":  {0, 1, directions([]string{"(b)", "(c)"}, "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000", "3000"), 0, nothing},
}

// kernels are the rivals under each kernel of Experiment I's regression.
func kernels(rivals ...string) (out []string) {
	for _, kernel := range []string{"Gaussian kernel, ", "linear kernel, "} {
		for _, r := range rivals {
			out = append(out, kernel+r)
		}
	}
	return out
}

// directions are those that direction (a) is held against, at each ε.
func directions(names []string, epsilons ...string) (out []string) {
	for _, e := range epsilons {
		for _, n := range names {
			out = append(out, "ε = "+e+", "+n)
		}
	}
	return out
}

// ranked: the mean of differences is the difference of means, to the digits committed.
func ranked(t *testing.T, instance string, items []float64) (could, couldNot bool) {
	if gap := items[0] - items[1]; math.Abs(items[2]-gap) > 1e-7*(items[0]+items[1]) {
		t.Errorf("%s: means %v and %v, their difference %v", instance, items[0], items[1], items[2])
	}
	return items[0] > items[1], items[0] <= items[1]
}

// nothing is held against what is shown of differences alone.
func nothing(*testing.T, string, []float64) (could, couldNot bool) { return true, true }

// open holds a claim for which no statement was searched against its panel.
func open(t *testing.T, id string, out check.Outcome) {
	t.Helper()
	p, ok := panels[id]
	if !ok {
		t.Errorf("nothing says at how many instances %s could fail", id)
		return
	}
	if out.Instances != len(p.family) || len(out.Evidence) != p.head+p.each*len(p.family) {
		t.Errorf("%d instances and %d items, want %d and %d", out.Instances, len(out.Evidence), len(p.family), p.head+p.each*len(p.family))
		return
	}
	bites := 0
	for i, instance := range p.family {
		var values []float64
		for _, item := range out.Evidence[p.head+i*p.each:][:p.each] {
			if slices.ContainsFunc(strings.Fields(instance), func(word string) bool { return !strings.Contains(item.Label, word) }) {
				t.Errorf("%q is shown of %s", item.Label, instance)
			}
			values = append(values, item.Number.Float())
		}
		if could, couldNot := p.check(t, instance, values); could && couldNot {
			bites++
		}
	}
	if bites < p.bites {
		t.Errorf("could hold and could fail at %d instances, want at least %d", bites, p.bites)
	}
}
