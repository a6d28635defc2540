package analytic

import (
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/layers"
)

// discretizable asks of the set sequences of a rule what those of every ε-DP mechanism
// satisfy: layers of neighbors differ by at most 1 (Theorem 2 (1)).
func discretizable(rule spreadRule, named layers.Rule) func(met *int) check.Statement[layerCase] {
	fails := func(c layerCase) (failure string, met bool) {
		level := rule(c)
		if !complete(level) || !hasNeighbors(c.distance) {
			return "", false
		}
		for x := range level {
			for y := range level {
				for r, l := range level[x] {
					if c.neighbors(x, y) && l > level[y][r]+1 {
						return check.Script(check.Vars{"x": x, "r": r, "y": y}, "print(m.layer({x}, {r}), m.layer({y}, {r}), m.layer({x}, {r}) <= m.layer({y}, {r}) + 1)"), true
					}
				}
			}
		}
		return "", true
	}
	return generalMechanisms(8, named, anySpread, fails)
}

// universeClaims holds the question of Section 4.3.
func universeClaims() []check.Claim {
	contains := both(represents(rebuild), initialInShell(up))
	return []check.Claim{{
		ID: "analytic.universe.contains", Paper: Paper, Place: "Section 4.3, ℂ ⊇ 𝔹̄",
		Statement:  "ℂ ⊇ 𝔹̄: the set sequences of every ε-DP mechanism satisfy (34) for some R̃ with (42)",
		Hypotheses: "whatever R̃ is, (34) puts ∪ R_0^y − A_{i−1}^x over i−1 < d̄(x, y) ≤ i into R_i^x, which is Theorem 2 (4); p is ε-DP; layers by Definition 13; " + unchained,
		Corrected:  needsChains,
		Recorded:   evidence.Refuted,
		Checker:    check.WithCorrection(tableCheck(false, initialInShell(up)), tableCheck(true, contains)),
	}, {
		ID: "analytic.universe", Paper: Paper, Place: "Section 4.3", Beyond: true,
		Statement:  "open question of Section 4.3: ℂ, the set sequences that satisfy (34), is 𝔹̄, those of the ε-DP mechanisms",
		Hypotheses: "the paper states ℂ ⊇ 𝔹̄ (analytic.universe.contains) and says that it does not know whether they are equal; the answer is no, by a sequence with layers of neighbors that differ by more than 1, which Theorem 2 (1) rules out of 𝔹̄; every dataset reaches every value",
		Corrected:  "the sequences of the min-plus closure have layers of neighbors that differ by at most 1",
		Recorded:   evidence.Refuted,
		Checker: check.WithCorrection(applicable(1, discretizable(spreadBy(layers.Published), layers.Published)),
			applicable(1000, discretizable(spreadBy(layers.Closure), layers.Closure))),
	}}
}
