package analytic

import (
	"dpworkbench/claims/check"
	"dpworkbench/layers"
)

// discretizable states that the layers which a rule computes have a property of all ε-DP mechanisms: layers of
// neighbors differ by at most 1 (Theorem 2 (1)).
func discretizable(rule spreadRule, named layers.Rule) check.Statement[layerCase] {
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

// universeChecks returns the checks of Section 4.3: ℂ ⊇ 𝔹̄, and the open question of whether they are equal.
func universeChecks() check.Checks {
	contains := both(represents(rebuild), initialInShell(up))
	return check.Checks{
		"analytic.universe.contains": check.WithCorrection(tableCheck(false, initialInShell(up)), tableCheck(true, contains)),
		"analytic.universe": check.WithCorrection(applicable(1, discretizable(spreadBy(layers.Published), layers.Published)),
			applicable(1000, discretizable(spreadBy(layers.Closure), layers.Closure))),
	}
}
