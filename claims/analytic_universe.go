package claims

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/layers"
)

// discretizable asks of the set sequences of a rule what those of every ε-DP mechanism
// satisfy: layers of neighbors differ by at most 1 (Theorem 2 (1)).
func discretizable(rule spreadRule, named layers.Rule) func(met *int) statement[layerCase] {
	fails := func(c layerCase) (failure string, met bool) {
		level := rule(c)
		if !complete(level) {
			return "", false
		}
		for x := range level {
			for y := range level {
				for r, l := range level[x] {
					if c.neighbors(x, y) && l > level[y][r]+1 {
						return fmt.Sprintf("print(m.layer(%d, %d), m.layer(%d, %d), m.layer(%d, %d) <= m.layer(%d, %d) + 1)", x, r, y, r, x, r, y, r), true
					}
				}
			}
		}
		return "", true
	}
	return generalMechanisms(8, named, fails)
}

// universeClaims holds the question of Section 4.3.
func universeClaims() []Claim {
	return []Claim{{
		ID: "analytic.universe", Paper: analyticPaper, Place: "Section 4.3", Beyond: true,
		Statement:  "open question of Section 4.3: ℂ, the set sequences that satisfy (34), is 𝔹̄, those of the ε-DP mechanisms",
		Hypotheses: "the paper states ℂ ⊇ 𝔹̄ and says that it does not know whether they are equal; the answer is no, by a sequence with layers of neighbors that differ by more than 1, which Theorem 2 (1) rules out of 𝔹̄; every dataset reaches every value",
		Corrected:  "the sequences of the min-plus closure have layers of neighbors that differ by at most 1",
		Recorded:   evidence.Refuted,
		check: withCorrection(applicable(discretizable(spreadBy(layers.Printed), layers.Printed)),
			applicable(discretizable(spreadBy(layers.Closure), layers.Closure))),
	}}
}
