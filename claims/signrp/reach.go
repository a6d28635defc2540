package signrp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// reach is a vector of p coordinates ½ and the ratio β/‖u‖.
type reach struct {
	p     int
	ratio float64
}

func (r reach) vector() (u []float64, beta float64) {
	u = make([]float64, r.p)
	for i := range u {
		u[i] = 0.5
	}
	return u, r.ratio * 0.5 * math.Sqrt(float64(r.p))
}

// reachChecks returns the checks of Lemma 4.2 and the normal approximation (10).
func reachChecks() check.Checks {
	return check.Checks{
		"signrp.lemma4.2":   check.WithCorrection(reachBound(printedReach, "p_plus_printed(%g, %d).value").Check, reachBound(unionReach, "min(1, %[2]d * exceeds(%[1]g * math.sqrt(%[2]d), 1 / math.sqrt(%[2]d)))").Check),
		"signrp.equation10": check.WithCorrection(usableReach().Check, latticeReach(latticeNormal(2)).Check),
	}
}

func printedReach(r reach) float64 { return check.Must(signrp.PublishedGaussian(r.ratio, r.p)).Value }

// unionReach returns Σ_i Pr(β|w_i| ≥ |wᵀu|), at most 1. The standard deviations of β w_i and wᵀu have the ratio β/‖u‖,
// and their correlation is u_i/‖u‖ = 1/√p.
func unionReach(r reach) float64 {
	rho := 1 / math.Sqrt(float64(r.p))
	if r.p == 1 {
		return 0 // |w₁u₁| > β|w₁| if β < ‖u‖
	}
	one := check.Must(signrp.Normals{Ratio: r.ratio, Rho: rho}.Exceeds())
	return math.Min(1, float64(r.p)*one)
}

// reachBound states that P₊ is at most bound. written is the bound in the script language, as a format of ratio and p.
func reachBound(bound func(r reach) float64, written string) check.Statement[reach] {
	return check.Statement[reach]{
		Family: "equal coordinates, p ≤ 4, β/‖u‖ in {.1, .3, .5, .7, .9}",
		Each: check.Grid(func(c *reach) []check.Axis {
			return []check.Axis{
				check.Span(&c.p, 1, 4),
				check.Over(&c.ratio, 0.1, 0.3, 0.5, 0.7, 0.9),
			}
		}),
		Holds: func(r reach) bool {
			u, beta := r.vector()
			p := check.Must(signrp.GaussianPPlus(context.Background(), u, beta))
			// Closed forms are accurate to 16 ulps. The error of the printed integral is unknown, but refutations have
			// gaps a million times as large as the tolerance.
			return check.Least(p) <= bound(r)+1e-9
		},
		Witness: func(r reach) *check.Witness {
			u, beta := r.vector()
			return check.NewWitness(check.Named("p", r.p, "u", vector(u), "beta/norm(u)", r.ratio),
				check.Vars{"u": u, "beta": beta, "bound": check.Code(fmt.Sprintf(written, r.ratio, r.p))},
				`p = p_plus({u}, beta={beta}, kind="gaussian"); f = {bound}; print(p.lo, f, p.lo <= f)`)
		},
		Measure: func(r reach) []check.Item {
			u, beta := r.vector()
			p := check.Must(signrp.GaussianPPlus(context.Background(), u, beta))
			return []check.Item{{Label: "P₊", Number: p}, {Label: "the bound", Number: evidence.Claimed{Value: bound(r), Provenance: evidence.From("Lemma 4.2")}}}
		},
	}
}

// onesCase is a vector u of n ones, and β in tenths.
type onesCase struct{ n, tenths int }

func (c onesCase) beta() float64 { return float64(c.tenths) / 10 }

func (c onesCase) reached() evidence.Number {
	return check.Must(signrp.RademacherPPlus(context.Background(), slices.Repeat([]float64{1}, c.n), c.beta()))
}

// printedNormal returns the approximation (10) of P₊. It exists for every case that reached accepts.
func printedNormal(c onesCase) float64 {
	return check.Must(signrp.PublishedRademacher(c.beta()/math.Sqrt(float64(c.n)), c.n)).Value
}

func (c onesCase) fields(extra ...any) []check.Field {
	return append(check.Named("p", c.n, "u", fmt.Sprintf("[1] * %d", c.n), "beta", c.beta()), check.Named(extra...)...)
}

// onesCases quantifies s over ten n from least on and β = 1, .5, 1.5, 2. The draws have more n and β.
func onesCases(least int, s check.Statement[onesCase]) check.Statement[onesCase] {
	s.Family = fmt.Sprintf("u of %d to %d ones, β = 1, .5, 1.5, 2", least, least+9)
	s.Each = check.Grid(func(c *onesCase) []check.Axis {
		return []check.Axis{
			check.Over(&c.tenths, 10, 5, 15, 20),
			check.Span(&c.n, least, least+9),
		}
	})
	s.Draw = func(rng *rand.Rand) onesCase { return onesCase{least + rng.IntN(200), 1 + rng.IntN(30)} }
	return s
}

// usableReach states that N₊, computed with (10) for P₊ and k = p signs, is at least ⌊kP₊⌋. A neighbor can change that
// many signs with probability at least ½.
func usableReach() check.Statement[onesCase] {
	const delta = 1e-6
	sides := func(c onesCase) (median int, most float64) {
		f := printedNormal(c)
		k, l := float64(c.n), -math.Log(delta)
		return int(check.Least(c.reached()) * k), f*k + (l+math.Sqrt(l*l+8*f*k*l))/2
	}
	return onesCases(9998, check.Statement[onesCase]{
		Holds: func(c onesCase) bool {
			median, most := sides(c)
			return float64(median) <= most
		},
		Witness: func(c onesCase) *check.Witness {
			median, most := sides(c)
			return check.NewWitness(c.fields("k", c.n, "delta", delta, "N₊ with (10)", fmt.Sprintf("%.2f", most), "signs within reach with probability at least 1/2", median),
				check.Vars{"n": c.n, "beta": c.beta()},
				`p, beta = {n}, {beta}; t = p_plus([1] * p, beta=beta).lo; f = p_plus_printed(beta / math.sqrt(p), p, kind="rademacher").value`,
				"l = math.log(1e6); n = p * f + (l + math.sqrt(l * l + 8 * p * f * l)) / 2; print(t, f, int(p * t), n, int(p * t) <= n)")
		},
		Measure: func(c onesCase) []check.Item {
			return []check.Item{{Label: "P₊", Number: c.reached()}, {Label: "the approximation", Number: evidence.Claimed{Value: printedNormal(c), Provenance: evidence.From("(10)")}}}
		},
	})
}

// latticeNormal returns an approximation of P₊: step·φ(0)/√n for each of the values n, n − 2, … of wᵀu in [−β, β].
func latticeNormal(step float64) func(c onesCase) float64 {
	return func(c onesCase) float64 {
		values := 0
		for v := c.n % 2; v <= c.tenths/10; v += 2 {
			if values++; v > 0 {
				values++
			}
		}
		return float64(values) * step / math.Sqrt(2*math.Pi*float64(c.n))
	}
}

// latticeReach states that the relative error of an approximation of P₊ is at most (1 + β²/2)/n.
//
// Pr(wᵀu = v) = C(n, (n+v)/2)/2ⁿ. At the smallest v ≥ 0 this is C(2m, m)/4^m with m = ⌈n/2⌉, which is 1/√(πm) times a
// factor in [1 − 1/(4m), 1]. So it is 2φ(0)/√n times a factor between 1 − 1/n and 1. From v to v + 2 the probability
// decreases by the fraction (2v + 2)/(n + v + 2). Up to the largest value V ≤ β, it decreases in total by at most Σ (2v
// + 2)/n ≤ V²/2n.
func latticeReach(approximation func(c onesCase) float64) check.Statement[onesCase] {
	near := func(c onesCase) (least, most float64) {
		f := approximation(c)
		return f * (1 - (1+c.beta()*c.beta()/2)/float64(c.n)), f
	}
	return onesCases(1000, check.Statement[onesCase]{
		Holds: func(c onesCase) bool {
			lo, hi := c.reached().Bounds()
			least, most := near(c)
			return lo >= least && hi <= most
		},
	})
}
