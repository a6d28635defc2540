package xor

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/stat/distuv"
)

// facebookFile counts the nodes of the Facebook graph by degree, "degree:count".
//
//go:embed facebook_degrees.txt
var facebookFile string

// facebookDegrees returns the degrees of the Facebook graph.
var facebookDegrees = sync.OnceValue(func() (out []int) {
	for _, field := range strings.Fields(facebookFile) {
		var degree, count int
		check.Must(fmt.Sscanf(field, "%d:%d", &degree, &count))
		out = append(out, slices.Repeat([]int{degree}, count)...)
	}
	return out
})

// releasedAt draws the degrees of the graph that Algorithm 3 releases if bits are flipped independently with
// probability flip. Each node is drawn independently, with the sum of two binomial numbers as its degree.
func releasedAt(degrees []int, flip float64, src rand.Source) []int {
	out, others := make([]int, len(degrees)), len(degrees)-1
	for v, d := range degrees {
		kept := distuv.Binomial{N: float64(d), P: (1 - flip) * (1 - flip), Src: src}
		added := distuv.Binomial{N: float64(others - d), P: flip * flip, Src: src}
		out[v] = int(kept.Rand() + added.Rand())
	}
	return out
}

// randomTwin draws the degrees of an Erdős–Rényi graph of the same mean degree, node by node.
func randomTwin(degrees []int, src rand.Source) []int {
	sum, others := 0, len(degrees)-1
	for _, d := range degrees {
		sum += d
	}
	return releasedAt(make([]int, len(degrees)), math.Sqrt(float64(sum)/float64(len(degrees))/float64(others)), src)
}

// twinDivergence returns the divergence of the degrees of random twins from those of releases at a flip rate, over the
// degrees that occur in both graphs. It uses fullRuns draws.
func twinDivergence(flip float64) sample {
	values := make([]float64, fullRuns)
	for i := range values {
		src := draw.Source(1, uint64(i))
		released := releasedAt(facebookDegrees(), flip, src)
		common := learn.DivergenceOptions{Common: true}
		values[i] = check.Must(learn.DegreeDivergence(randomTwin(released, src), released, common))
	}
	return sampleOf(values)
}

// sampleOf returns the mean, standard deviation and number of values.
func sampleOf(values []float64) sample {
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return sample{mean, math.Sqrt(squares / float64(len(values)-1)), len(values)}
}

const byNode = "degrees drawn node by node, Student's interval"

// panelCase is ε in tenths, the divergence printed in hundredths, and the number of bits that ε covers. With one bit
// the flip rate is 1/(1 + e^ε), the smallest for an ε-private bit. With two bits it is the rate of mirrored bits.
type panelCase struct{ eps, hundredths, bits int }

func (c panelCase) flip() float64 { return 1 / (1 + math.Exp(float64(c.eps)/10/float64(c.bits))) }

// panel states that the divergence of Figure 3 (b) or (c), at ε in tenths, reaches a share of the printed one.
func panel(eps, hundredths int, share float64) check.Statement[panelCase] {
	return check.Statement[panelCase]{
		Family: fmt.Sprintf("ε = .%d, flips of one ε-private bit and of two mirrored bits", eps), Size: 2,
		Each: check.Grid(func(c *panelCase) []check.Axis {
			return []check.Axis{check.Over(&c.bits, 1, 2), check.Let(func() { c.eps, c.hundredths = eps, hundredths })}
		}),
		Holds: func(c panelCase) bool {
			s := twinDivergence(c.flip())
			return s.mean+s.width() >= share*float64(c.hundredths)/100
		},
		Witness: func(c panelCase) *check.Witness {
			var pairs []string
			for _, field := range strings.Fields(facebookFile) {
				degree, count, _ := strings.Cut(field, ":")
				pairs = append(pairs, "("+degree+", "+count+")")
			}
			s, printed := twinDivergence(c.flip()), float64(c.hundredths)/100
			return &check.Witness{
				Fields: check.Named("graph", "Facebook, by its degrees", "eps", float64(c.eps)/10,
					"flip rate", fmt.Sprintf("%.4f", c.flip()),
					"divergence of 20 draws", fmt.Sprintf("%.3f ± %.3f", s.mean, s.width()), "printed", printed),
				Approximates: "binomial draws, by rounded normal ones",
				Script: "h = [" + strings.Join(pairs, ", ") + "]; " + check.Script(check.Vars{"flip": c.flip(), "least": share * printed},
					"d = [k for k, c in h for _ in range(c)]; n = len(d); a, b = math.pow(1 - {flip}, 2), math.pow({flip}, 2)",
					"u = uniform(4 * n, seed=1)",
					"z = lambda i, j: math.sqrt(-2 * math.log(1 - u[i])) * math.cos(2 * math.pi * u[j])",
					"v = lambda k: math.sqrt(k * a * (1 - a) + (n - 1 - k) * b * (1 - b))",
					"r = [int(d[i] * a + (n - 1 - d[i]) * b + v(d[i]) * z(i, n + i) + 0.5) for i in range(n)]",
					"q = sum(r) / n / (n - 1); w = math.sqrt((n - 1) * q * (1 - q))",
					"e = [int((n - 1) * q + w * z(2 * n + i, 3 * n + i) + 0.5) for i in range(n)]",
					`t = degree_divergence(e, r, degrees="common"); print(t, {least}, t >= {least})`),
			}
		},
		Measure: func(panelCase) (out []check.Item) {
			for _, p := range []struct {
				label string
				flip  float64
			}{
				{fmt.Sprintf("ε = .%d, one ε-private bit, printed %g", eps, float64(hundredths)/100), panelCase{eps, 0, 1}.flip()},
				{"flip rate .05", .05}, {"flip rate .1", .1},
			} {
				s := twinDivergence(p.flip)
				out = append(out, check.Item{Label: "divergence of 20 draws, nats: " + p.label, Number: s.number(byNode)})
			}
			return out
		},
	}
}

// panelShown reports the divergence of Figure 3 (a) or (d), of the graph itself or of a release with flipped bits,
// under several conventions. The printed number is one draw, so the verdict is undecided. The remark says whether the
// mean under some convention is within three standard deviations of the printed number.
func panelShown(printed, flip float64) check.Checker {
	return func(ctx context.Context, _ check.Run) (check.Outcome, error) {
		out := check.Outcome{Verdict: evidence.Undecided, Scope: "20 draws", Instances: 1, Remark: "not reproducible"}
		for _, c := range []struct {
			label    string
			backward bool
			options  learn.DivergenceOptions
		}{
			{"KL(ER‖graph), common degrees", false, learn.DivergenceOptions{Common: true}},
			{"KL(graph‖ER), common degrees", true, learn.DivergenceOptions{Common: true}},
			{"KL(ER‖graph), common degrees, renormalised", false, learn.DivergenceOptions{Common: true, Renormalised: true}},
			{"KL(graph‖ER), 1 % of the uniform law mixed in", true, learn.DivergenceOptions{Mix: .01}},
		} {
			values, shared := make([]float64, fullRuns), make([]float64, fullRuns)
			for i := range values {
				if err := ctx.Err(); err != nil {
					return check.Outcome{}, err
				}
				src, graph := draw.Source(1, uint64(i)), facebookDegrees()
				if flip > 0 {
					graph = releasedAt(graph, flip, src)
				}
				twin := randomTwin(graph, src)
				p, q := twin, graph
				if c.backward {
					p, q = q, p
				}
				values[i] = check.Must(learn.DegreeDivergence(p, q, c.options))
				_, share, _, err := learn.CommonDegrees(twin, graph)
				if shared[i] = share; err != nil {
					return out, err
				}
			}
			s := sampleOf(values)
			if math.Abs(s.mean-printed) <= 3*s.deviation {
				out.Remark = "reproduced"
			}
			if len(out.Evidence) == 0 {
				label := "share of the graph's nodes whose degree the twin has, too"
				out.Evidence = append(out.Evidence, check.Item{Label: label, Number: sampleOf(shared).number(byNode)})
			}
			label := fmt.Sprintf("%s, mean of 20 draws, printed %g", c.label, printed)
			out.Evidence = append(out.Evidence, check.Item{Label: label, Number: s.number(byNode)})
		}
		return out, nil
	}
}
