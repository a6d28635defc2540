package signrp

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/signrp"
)

func signrpMutants() map[checktest.Mutant]check.Checker {
	without := func(change func(*normalParts)) normalParts {
		p := printedNormals
		change(&p)
		return p
	}
	return map[checktest.Mutant]check.Checker{
		{"signrp.sensitivity", "β up to 5/4"}:    oneSensitivity(5, 1).Check,
		{"signrp.step2", "n²/k"}:                 stepTwo(func(c stepCase) *big.Rat { return big.NewRat(c.signs*c.signs, c.k) }, "n * n / k").Check,
		{"signrp.algorithm8.budget", "1 + ε′"}:   flipBudget(func(e float64) float64 { return 1 + e }, "1 + e / n").Check,
		{"signrp.lemmaE1.boundary", "r up to 2"}: atBoundary(2, 0).Check,
		{"signrp.equation17", "without π/2"}: normalIntegral(false,
			func(a, b float64) float64 { return math.Atan(b/a) / (2 * math.Pi * a) }, "0").Check,
		{"signrp.equation18", "a for a²"}: normalIntegral(true,
			func(a, b float64) float64 { return a * rightMoment(a, b) }, "0").Check,
		{"signrp.equation16.hundred", "k = 1000"}: someRatio("k = 1000",
			func(c ratioPoint) bool { return inHundred(c.variances(), 99, 101) }, ratioPoint{p: 10000, k: 1000}).Check,
		{"signrp.figure11.below", "R of 2 to 3"}: someRatio("p = 1000",
			func(c ratioPoint) bool { return inHundred(c.variances(), 2, 3) }, ratioPoint{p: 1000, k: 500}).Check,
		{"signrp.figure11.common", "R above 2"}:       commonRegimes(2).Check,
		{"signrp.projections.unit", "fourth moments"}: unitVariance(2).Check,
		{"signrp.figure7", "one row"}:                 smallestRow(1).Check,
		{"signrp.figure8", "within .001"}:             figureWithin(.001),
		{"signrp.figure9", "thrice the β"}:            fewestFlips("p = 10", []int{10}, []float64{1}, 3),
		{"signrp.figure10", "thrice the β"}:           fewestFlips("p = 100", []int{100}, []float64{1, 2}, 3),
		{"signrp.theorem2.1", "the larger δ for the sum"}: composition(func(a, b *big.Rat) *big.Rat {
			if a.Cmp(b) < 0 {
				return b
			}
			return a
		}, 1).Check,
		{"signrp.theorem2.1", "the larger ε for the sum"}:     composition(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }, 0).Check,
		{"signrp.theoremA1", "half the noise"}:                fixedGaussianSigns(2).Check,
		{"signrp.theoremA2", "ε/(|A|−1)"}:                     fixedFlips(1).Check,
		{"signrp.algorithm7", "half of β"}:                    indicators(0.5).Check,
		{"signrp.algorithm7.maximal", "at most that number"}:  mostChanges(func(marked, changed int) bool { return marked <= changed }).Check,
		{"signrp.theorem4.6", "one level higher"}:             smoothFlips(func(z int) int { return levelUp(z) + 1 }, 1).Check,
		{"signrp.theorem4.6", "levels of β/4"}:                smoothFlips(check.Abs, 1).Check,
		{"signrp.theorem4.6", "zero ε"}:                       smoothFlips(levelUp, 0).Check,
		{"signrp.rr", "a 64th of F"}:                          freshSigns(1. / 64).Check,
		{"signrp.rr.fixed", "ε/(k−1)"}:                        signsSharing(func(k int) int { return k - 1 }).Check,
		{"signrp.lemma4.3", "η for η + 2 in the denominator"}: binomialTail(func(eta *big.Rat) *big.Rat { return eta }).Check,
		{"signrp.lemma4.3", "η² for η²/(η+2)"}:                binomialTail(func(eta *big.Rat) *big.Rat { return new(big.Rat).Mul(eta, eta) }).Check,
		{"signrp.proposition4.4", "ln(1/δ)/4"}:                trueCount(0.25, 8).Check,
		{"signrp.proposition4.4", "without the root"}:         trueCount(1, -1e-300).Check,
		{"signrp.lemma4.2", "the largest term for the sum"}:   reachBound(func(r reach) float64 { return unionReach(r) / float64(r.p) }, "%g * %d").Check,
		{"signrp.equation10", "without the lattice's step"}:   latticeReach(latticeNormal(1)).Check,
		{"signrp.equation10", "no value but 0"}:               latticeReach(func(c onesCase) float64 { return latticeNormal(2)(onesCase{c.n, 1}) }).Check,
		{"signrp.theorem4.5", "θ² for θ(π−θ)"}: angleVariance(func(a anglePoint) *big.Rat {
			gap := new(big.Rat).Sub(new(big.Rat).Add(a.turn, a.turn), check.One)
			return gap.Add(printedAngle(a), gap.Mul(gap, a.turn))
		}).Check,
		{"signrp.theorem4.5", "without 4π²e^{2ε'}/(e^{ε'}−1)⁴"}: angleVariance(func(a anglePoint) *big.Rat {
			u := a.unit()
			return u.Sub(printedAngle(a), u.Mul(u, u).Mul(u, big.NewRat(4, 1)))
		}).Check,
		{"signrp.theoremC1", "k for p"}:               innerVariance("raw", rawSpread, func(c innerPoint) float64 { return c.noise(c.k) }).Check,
		{"signrp.theoremC2", "Σu²v² once"}:            innerVariance("rademacher", rademacherSpread, func(c innerPoint) float64 { return c.noise(c.k) + c.spread(1)/float64(c.k) }).Check,
		{"signrp.theoremC2", "p for k in the noise"}:  innerVariance("rademacher", rademacherSpread, func(c innerPoint) float64 { return c.noise(len(c.u)) + c.spread(2)/float64(c.k) }).Check,
		{"signrp.theoremC3", "no factor (p−k)/(p−1)"}: innerVariance("oporp", oporpSpread, func(c innerPoint) float64 { return c.noise(c.k) + c.spread(2)/float64(c.k) }).Check,
		{"signrp.theoremC3", "(p−k)/p"}: innerVariance("oporp", oporpSpread, func(c innerPoint) float64 {
			p := float64(c.padded())
			return c.noise(c.k) + c.spread(2)*(p-float64(c.k))/(p*float64(c.k))
		}).Check,
		{"signrp.theorem3.1", "√(ln(1/δ)) for √(2 ln(1/(2δ)))"}: classicNoise(func(eps, delta float64) float64 { return math.Sqrt(math.Log(1/delta)+eps) / eps }).Check,
		{"signrp.theorem3.1", "without ε under the root"}:       classicNoise(func(eps, delta float64) float64 { return math.Sqrt(2*math.Log(1/(2*delta))) / eps }).Check,
		{"signrp.theorem3.2", "without e^ε"}: analyticNoise(func(eps, sigma float64) float64 {
			return normalCDF(1/(2*sigma)-eps*sigma) - normalCDF(-1/(2*sigma)-eps*sigma)
		}).Check,
		{"signrp.theorem3.2", "Δ/σ for Δ/2σ"}: analyticNoise(func(eps, sigma float64) float64 {
			return normalCDF(1/sigma-eps*sigma) - math.Exp(eps)*normalCDF(-1/sigma-eps*sigma)
		}).Check,
		{"signrp.algorithm9", "Δ₂ = β/2"}:     projectedNoise(rademacherMove, 0.5).Check,
		{"signrp.algorithm9", "W not scaled"}: projectedNoise(func(c projectedCase) float64 { return rademacherMove(c) * math.Sqrt(float64(c.k)) }, 1).Check,
		{"signrp.algorithm10", "Δ₂ = β/2"}:    projectedNoise(oporpMove, 0.5).Check,
		{"signrp.equation16", "without the 1/k"}: ratioNear(func(c ratioPoint) *big.Rat {
			square, fourth, _ := c.terms()
			return fourth.Quo(fourth, square.Add(square, square).Add(square, fourth))
		}, func(c ratioPoint) *big.Rat { return big.NewRat(c.k, c.p) }).Check,
		{"signrp.equation16", "2σ² forgotten"}: ratioNear(unitLimit, func(c ratioPoint) *big.Rat {
			_, fourth, inverse := c.terms()
			return inverse.Quo(inverse, fourth)
		}).Check,
		{"signrp.figure12", "96.8"}:   smallNoise(96.8).Check,
		{"signrp.lemmaE1", "e^{−t²}"}: normalPair(without(func(p *normalParts) { p.bound = func(t float64) float64 { return math.Exp(-t * t) } })).Check,
		{"signrp.lemmaE1", "one arctangent twice"}: normalPair(without(func(p *normalParts) {
			p.exceeds = func(n signrp.Normals) (float64, error) {
				return 2 * math.Atan((n.Ratio-n.Rho)/math.Sqrt(1-n.Rho*n.Rho)) / math.Pi, nil
			}
		})).Check,
		{"signrp.lemmaE1", "the mean without √(π/2)"}: normalPair(without(func(p *normalParts) {
			p.mean = func(n signrp.Normals) (float64, error) {
				m, err := n.MeanExceeding()
				return m / math.Sqrt(math.Pi/2), err
			}
		})).Check,
		{"signrp.normalised", "below no variance"}:            halvedVariance(-.5).Check,
		{"signrp.normalised.always", "for Rademacher W"}:      lessVariance(signrp.Rademacher).Check,
		{"signrp.normalised.formula", "1 − ρ² not squared"}:   formulaVariance(func(f, rho float64) float64 { s := 1 - rho*rho; return f + s - s*s }).Check,
		{"signrp.normalised.formula", "1 + ρ² for (1 − ρ²)²"}: formulaVariance(func(f, rho float64) float64 { s := 1 - rho*rho; return f + 1 + rho*rho - s*s }).Check,
		{"signrp.theorem4.5.proof", "π² before three terms of four"}: angleLine(func(a anglePoint) parts {
			u := a.unit()
			last := u.Mul(u, u).Mul(u, big.NewRat(4, 1))
			return parts{new(big.Rat).Sub(printedAngle(a), last), last}
		}).Check,
		{"signrp.theorem4.5.proof", "2π² for 4π² in the last"}: angleLine(func(a anglePoint) parts {
			u := a.unit()
			return parts{new(big.Rat).Sub(printedAngle(a), u.Mul(u, u).Mul(u, big.NewRat(2, 1))), new(big.Rat)}
		}).Check,
		{"signrp.lemmaE1.derivative", "r² + 1 for r² − 1"}: derivative(func(n signrp.Normals) float64 {
			return overPi(n) * (n.Ratio*n.Ratio + 1) / (n.Ratio*n.Ratio - 1)
		}, "math.pi").Check,
		{"signrp.lemmaE1.derivative", "a thousandth more"}:    derivative(func(n signrp.Normals) float64 { return overPi(n) * 1.001 }, "math.pi").Check,
		{"signrp.lemma4.2.proof", "3Φ − 1"}:                   density(3).Check,
		{"signrp.rademacher", "u of two numbers to four"}:     superior(uniformNumbers(2)).Check,
		{"signrp.lemmaE1.printed", "largest, ρ = 0 excepted"}: extremeAtZero(-1).Check,
	}
}

func TestMutants(t *testing.T) { checktest.Mutants(t, Claims(), signrpMutants()) }
