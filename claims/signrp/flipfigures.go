package signrp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// spreadVector returns p numbers spread over [−1, 1], in thousandths, in place of uniform random numbers.
func spreadVector(p int) []float64 {
	u := make([]float64, p)
	for i := range u {
		u[i] = float64((i*617+309)%2001-1000) / 1000
	}
	return u
}

// flipCase holds p and β.
type flipCase struct {
	p    int
	beta float64
}

// figureWithin checks that (10) and (11) are within a tolerance of P₊ for u spread over [−1, 1].
func figureWithin(tolerance float64) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		var rademacher, gaussian evidence.Certified // largest distances from P₊
		out, err := check.Statement[flipCase]{
			Family: "p = 10, 20, 50 and 100, β = 1 and .1, u spread over [−1, 1]", Size: 4 * 2,
			Each: check.Grid(func(c *flipCase) []check.Axis {
				return []check.Axis{check.Over(&c.p, 10, 20, 50, 100), check.Over(&c.beta, 1, 0.1)}
			}),
			Holds: func(c flipCase) bool {
				u := spreadVector(c.p)
				see := func(largest *evidence.Certified, p evidence.Number, printed evidence.Claimed) bool {
					lo, hi := p.Bounds()
					most := max(hi-printed.Value, printed.Value-lo) + 1e-9
					largest.Lo, largest.Hi = max(largest.Lo, most-(hi-lo)-2e-9, 0), max(largest.Hi, most)
					return most <= tolerance
				}
				r := see(&rademacher, check.Must(signrp.RademacherPPlus(ctx, u, c.beta)),
					check.Must(signrp.PublishedRademacher(c.beta/norm(u), c.p)))
				return see(&gaussian, check.Must(signrp.GaussianPPlus(ctx, u, c.beta)),
					check.Must(signrp.PublishedGaussian(c.beta/norm(u), c.p))) && r
			},
			Witness: func(c flipCase) *check.Witness {
				return &check.Witness{Fields: check.Named("p", c.p, "beta", c.beta)}
			},
		}.Check(ctx, run)
		for label, largest := range map[string]*evidence.Certified{"(10)": &rademacher, "(11)": &gaussian} {
			largest.Provenance = evidence.From("Figure 8").By("over the instances visited")
			out.Evidence = append(out.Evidence, check.Item{Label: "distance of " + label + " from P₊, largest visited",
				Number: *largest})
		}
		slices.SortFunc(out.Evidence, func(a, b check.Item) int { return cmp.Compare(a.Label, b.Label) })
		return out, err
	}
}

// rivalCase holds p, β and a law of w to compare with Rademacher w.
type rivalCase struct {
	flipCase
	kind columnKind
}

// latticeCase holds p and the s of (8), which is 1 for Rademacher w.
type latticeCase struct{ p, s int }

// fewestFlips checks that Pr(|wᵀu| ≤ β max|w_i|) is smaller for Rademacher w than for Gaussian and sparse w, with u
// spread over [−1, 1]. This is the probability that a sign can flip. At multiples 2β, 3β, … it is the share of levels L
// up to 2, 3, …. own scales the β of Rademacher w.
func fewestFlips(family string, ps []int, betas []float64, own float64) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		laws := known(func(c latticeCase) []float64 { return check.Must(sparseLaw(ctx, spreadVector(c.p), c.s)) })
		rademacher := func(c flipCase) float64 { return within(laws(latticeCase{c.p, 1}), own*c.beta) + 1e-9 }
		return check.Statement[rivalCase]{
			Family: family + "; Gaussian and sparse w with s = 3 and 10; u spread over [−1, 1]", Size: len(ps) * len(betas) * 3,
			Each: check.Grid(func(c *rivalCase) []check.Axis {
				return []check.Axis{check.Over(&c.p, ps...), check.Over(&c.beta, betas...), check.Over(&c.kind, columnKinds[1:]...)}
			}),
			Holds: func(c rivalCase) bool {
				if c.kind.name == "gaussian" {
					return rademacher(c.flipCase) < check.Least(check.Must(signrp.GaussianPPlus(ctx, spreadVector(c.p), c.beta)))
				}
				return rademacher(c.flipCase) < within(laws(latticeCase{c.p, int(c.kind.s)}), c.beta)-1e-9
			},
			Witness: func(c rivalCase) *check.Witness {
				return &check.Witness{Fields: check.Named("p", c.p, "beta", c.beta, "law", c.kind.name, "s", c.kind.s)}
			},
		}.Check(ctx, run)
	}
}

// known returns a function that caches the values of the function of.
func known[C comparable, V any](of func(C) V) func(C) V {
	values := make(map[C]V)
	return func(c C) V {
		v, ok := values[c]
		if !ok {
			v = of(c)
			values[c] = v
		}
		return v
	}
}

// within returns the probability of [−β, β] under a law from sparseLaw.
func within(law []float64, beta float64) (sum float64) {
	middle, most := len(law)/2, int(math.Floor(1000*beta+1e-9))
	for x := max(0, middle-most); x <= min(2*middle, middle+most); x++ {
		sum += law[x]
	}
	return sum
}

// sparseLaw returns the law of Σ±u_i in thousandths from −reach to reach, where each u_i is present with probability
// 1/s. The u_i are rounded to thousandths. For sparse w, wᵀu is √s times this sum. max|w_i| is √s unless all entries
// are 0, and then the sum is 0 as well. So P₊ is the probability within β. All added terms are positive, so the error
// of a probability is below 1e-9. The function polls ctx.
func sparseLaw(ctx context.Context, u []float64, s int) ([]float64, error) {
	reach := 0
	var whole []int
	for _, v := range u {
		whole = append(whole, check.Abs(int(math.Round(1000*v))))
		reach += whole[len(whole)-1]
	}
	law := make([]float64, 2*reach+1)
	law[reach] = 1
	some, none, at := 1/(2*float64(s)), 1-1/float64(s), 0 // at is the largest absolute sum so far
	for _, v := range whole {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := make([]float64, len(law))
		for x := reach - at; x <= reach+at; x++ {
			next[x] += none * law[x]
			next[x-v] += some * law[x]
			next[x+v] += some * law[x]
		}
		law, at = next, at+v
	}
	return law, nil
}
