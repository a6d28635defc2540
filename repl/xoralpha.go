package repl

import (
	"context"
	"fmt"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/script"
	"dpworkbench/xor"
)

// alphaSolution is a best share α with the problem that it solves.
type alphaSolution struct {
	problem xor.AlphaProblem
	*xor.AlphaSolution
}

// alphaClass describes the best share α and its baselines.
var alphaClass = &script.Class[*alphaSolution]{
	Name: "alpha_solution", Help: "The best share α of Algorithm 1's form, with its baselines.",
	Setup: "s = optimize_alpha(4, 2, 1, 1, privacy=\"exact\", complement=True)\n",
	Show: func(s *alphaSolution) string {
		hint := ""
		if s.FlipRate.Lo > 0.500001 && !s.problem.Complement {
			hint = fmt.Sprintf(", more than a fair coin: complement=True takes 1 - B, and this law's flips %s", evidence.FormatFloat(1-s.FlipRate.Float(), 6))
		}
		return fmt.Sprintf("<alpha = %s, smallest eps %s, flips %s of the bits%s>", evidence.FormatFloat(s.Alpha, 6), evidence.FormatNumber(s.Smallest, 6), evidence.FormatNumber(s.FlipRate, 6), hint)
	},
	Attrs: []script.Attr[*alphaSolution]{
		script.Get("alpha -> number", "The best share, in [0, 1].", "", func(s *alphaSolution) any { return s.Alpha }),
		script.Get("law -> bernoulli", "The law of the noise, for b.sample and xor_release without complement. With complement=True it is the law of 1 − B: Λ_ij = λI as for B, and Θ = −(θ + 2λ(n − 1))I instead of θI.", "", func(s *alphaSolution) any { return s.Law }),
		script.Get("error_rate -> evidence", "The probability that noise of law flips a bit. Certified.", "", func(s *alphaSolution) any { return s.FlipRate }),
		script.Get("claimed_epsilon -> evidence", "The claim of Theorem 1 for B, the law of Algorithm 1's form; noise 1 − B has the same privacy.", "", func(s *alphaSolution) any { return s.Claimed }),
		script.Get("smallest_epsilon -> evidence", "The smallest ε of the law for at most sensitivity bits anywhere. Certified. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(s *alphaSolution) any { return s.Smallest }),
		script.Do("delta_at(eps: profile_epsilon) -> evidence", deltaHelp+" It is for at most sensitivity bits anywhere, as given to optimize_alpha.", "(0.5)", func(c *script.Call, s *alphaSolution) (any, error) { return deltaOf(c, s.privacy()) }),
		script.Do("epsilon_at(delta: delta0) -> evidence", epsilonHelp+" For at most sensitivity bits anywhere.", "(0.1)", func(c *script.Call, s *alphaSolution) (any, error) {
			return s.privacy().Epsilon(c.Context, c.Delta("delta"))
		}),
		script.Get("response_rate -> evidence", "The flip rate of randomised response, 1/(1 + e^(ε/s)), at the law's smallest ε.", "", func(s *alphaSolution) any { return s.Response }),
		script.Do("optimum -> evidence?", "The least flip rate of any noise law with the same smallest ε, certified by linear programming; None above 10 bits.", "", func(c *script.Call, s *alphaSolution) (any, error) { return optimalRate(c, s), nil }),
		script.Do("table() -> table", "The law compared with randomised response at the same smallest ε and, for at most 10 bits, with the certified optimum over all noise laws.", "()", alphaTable),
	},
}

// Pairs implements privacy.Private, at the sensitivity that the law was made for.
func (s *alphaSolution) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return s.Law.PairsUnder(xor.FlipBits(min(s.problem.Sensitivity, s.Law.Dim())))
}

// privacy returns the privacy of the law at the sensitivity that it was made for.
func (s *alphaSolution) privacy() *privacy.Account { return must(privacy.Of(context.Background(), s)) }

// alphaTable returns a table of the solution's law and its baselines.
func alphaTable(c *script.Call, s *alphaSolution) (any, error) {
	best := optimalRate(c, s)
	rows := [][]any{
		{"Algorithm 1's form, alpha = " + display.Number(s.Alpha, 6), s.Claimed, s.Smallest, s.FlipRate},
		{"randomised response", nil, s.Smallest, s.Response},
	}
	if best != nil {
		rows = append(rows, []any{"optimal among all noise laws", nil, s.Smallest, best})
	}
	return newTable(c, "", []string{"noise", "claimed ε", "smallest ε", "flip rate"}, rows, 6)
}

// optimalRate returns the least flip rate of any noise law at the solution's smallest ε, or nil if there are too many
// bits to compute it.
func optimalRate(c *script.Call, s *alphaSolution) evidence.Number {
	const most = 10 // bits
	q := s.problem
	if q.N > most || q.P > most || q.N*q.P > most {
		return nil
	}
	eps := must(evidence.NewEpsilon("eps", s.Smallest.Hi))
	return must(xor.NewOptimalNoise(c.Context, q.N, q.P, eps, xor.FlipBits(min(q.Sensitivity, q.N*q.P)))).FlipRate()
}
