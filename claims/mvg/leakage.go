package mvg

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// leakCase is a record uniform on −L+1, −L+3, …, L−1 and noise that is ±k with probability p/64 each, otherwise 0. A
// number uniform on a width of smear is added to the noise, so that it has a density. The leakage is the same without
// this number, because all other values are integers and smear is below 1.
type leakCase struct{ levels, step, p int64 }

func (c leakCase) values() []float64 {
	var out []float64
	for v := 1 - c.levels; v < c.levels; v += 2 {
		out = append(out, float64(v))
	}
	return out
}

const smear = 0.1

func (c leakCase) variance() float64 {
	return 2*float64(c.p)/64*float64(c.step*c.step) + smear*smear/12
}

// discreteError bounds the error of discrete: at most fifteen terms −p ln p ≤ 1/e, each
// within 8 ulps.
const discreteError = 48 * check.Epsilon64

// discrete returns H(X + N) − H(N) in nats, where N is the noise on {0, ±k}.
func (c leakCase) discrete() float64 {
	p := float64(c.p) / 64
	noise := map[float64]float64{0: 1 - 2*p, float64(c.step): p, -float64(c.step): p}
	sum := make(map[float64]float64)
	for _, v := range c.values() {
		for _, n := range slices.Sorted(maps.Keys(noise)) { // in a fixed order, because rounding depends on it
			sum[v+n] += noise[n] / float64(c.levels)
		}
	}
	entropy := func(law map[float64]float64) (h float64) {
		for _, v := range slices.Sorted(maps.Keys(law)) {
			h -= law[v] * math.Log(law[v])
		}
		return h
	}
	return entropy(sum) - entropy(noise)
}

func (c leakCase) items(name string) []check.Item {
	return []check.Item{
		numberWithin(name+"leakage of Gaussian noise of that variance, nats", information(c.values(), nil, c.variance()), informationError, trapezoid, "Theorem 9"),
		numberWithin(name+"leakage of the other noise, nats", c.discrete(), discreteError, "entropies of finite laws", "Theorem 9"),
	}
}

// leastLeakage states that Gaussian noise leaks no more than noise near {0, ±k} of the same variance.
func leastLeakage() check.Statement[leakCase] {
	return check.Statement[leakCase]{
		Family: "two and three levels, k in 1…3, p in 1/64 … 31/64",
		Each: check.Grid(func(c *leakCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.levels, 2, 3),
				check.Span(&c.step, 1, 3),
				check.Over(&c.p, 16, 8, 4, 2, 1, 24, 28, 31),
			}
		}),
		Holds: func(c leakCase) bool {
			return information(c.values(), nil, c.variance()) <= c.discrete()+informationError+discreteError
		},
		Measure: func(c leakCase) []check.Item { return c.items("") },
		Witness: func(c leakCase) *check.Witness {
			return &check.Witness{
				Fields:       check.Named("X", fmt.Sprintf("uniform on %v", c.values()), "other noise", fmt.Sprintf("±%d with probability %d/64 each, else 0, plus a number uniform on a width of 0.1", c.step, c.p), "noise variance", c.variance()),
				Approximates: integral,
				Script: informationScript + check.Script(check.Vars{"values": c.values(), "step": c.step, "p": c.p},
					"xs, k, q = {values}, {step}, {p} / 64; noise = [(0, 1 - 2 * q), (k, q), (-k, q)]",
					"law = [sum([w / len(xs) for x in xs for z, w in noise if x + z == y]) for y in range(-9, 10)]",
					"h = lambda ps: -sum([p * math.log(p) for p in ps if p > 0]); a = info(xs, 2 * q * k * k + math.pow(0.1, 2) / 12)",
					"b = h(law) - h([w for z, w in noise]); print(a, b, a <= b + 1e-8)"),
			}
		},
	}
}

// mixtureCase is a normal signal of variance v and noise ±a plus a normal number of variance s.
type mixtureCase struct{ v, a, s int64 }

func mixtureVariance(c mixtureCase) float64 { return float64(c.s + c.a*c.a) }

// normalLeakage states that for a normal signal the noise ±a + N(0, s) leaks at least as much as Gaussian noise of
// the given variance, ½ ln(1 + v/variance).
func normalLeakage(variance func(mixtureCase) float64) check.Statement[mixtureCase] {
	return check.Statement[mixtureCase]{
		Family: "v, s in 1, 4, 16, a in 0…4",
		Each: check.Grid(func(c *mixtureCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.v, 1, 4, 16),
				check.Over(&c.s, 1, 4, 16),
				check.Span(&c.a, 0, 4),
			}
		}),
		Draw: func(rng *rand.Rand) mixtureCase {
			return mixtureCase{1 + rng.Int64N(40), rng.Int64N(20), 1 + rng.Int64N(40)}
		},
		Holds: func(c mixtureCase) bool {
			// I = h(X + Z) − h(Z). Each entropy is ½ ln(2πev), where v is the variance of the normal part, plus the
			// information about the sign.
			signs := []float64{-float64(c.a), float64(c.a)}
			both, noise := float64(c.v+c.s), float64(c.s)
			got := math.Log(both/noise)/2 + information(signs, nil, both) - information(signs, nil, noise)
			return got >= math.Log1p(float64(c.v)/variance(c))/2-3*informationError
		},
	}
}

// binomialLaw returns the law of the sum of n fair signs: S = −n + 2j has probability law[j].
func binomialLaw(n int) []float64 {
	law := []float64{1}
	for range n {
		next := make([]float64, len(law)+1)
		for j, p := range law {
			next[j] += p / 2
			next[j+1] += p / 2
		}
		law = next
	}
	return law
}

// entropyOf returns −Σ p ln p. Every probability p must be positive.
func entropyOf(law ...float64) (h float64) {
	for _, p := range law {
		if p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}

// signSum is the sum S of n fair signs and the noise N of leakCase{step: 2}. N takes multiples of 2, so S + N stays on
// the lattice of S.
type signSum struct {
	n     int
	noise leakCase
}

// told returns the mutual information I(N; S + N) in nats.
func (s signSum) told() float64 {
	law, p := binomialLaw(s.n), float64(s.noise.p)/64
	moved := make([]float64, len(law)+2)
	for j, v := range law {
		moved[j] += v * p
		moved[j+1] += v * (1 - 2*p)
		moved[j+2] += v * p
	}
	return entropyOf(moved...) - entropyOf(law...)
}

// spare returns H(N) − H(E) in nats, where E is Gaussian noise of N's variance rounded to a multiple of 2.
// Multiples beyond ±4 count as ±4, which lowers H(E) by less than 1e-9.
func (s signSum) spare() float64 {
	p, sd := float64(s.noise.p)/64, math.Sqrt(s.noise.variance())
	beyond := func(x float64) float64 { return math.Erfc(x/sd/math.Sqrt2) / 2 }
	one, two := beyond(1)-beyond(3), beyond(3)
	return entropyOf(p, 1-2*p, p) - entropyOf(1-2*one-2*two, one, one, two, two)
}

// leaks returns the leakage, in nats, of Gaussian noise and of the noise N. The first is computed by the
// trapezoid rule.
func (s signSum) leaks() (gaussian, other float64) {
	law, p := binomialLaw(s.n), float64(s.noise.p)/64
	values := make([]float64, len(law))
	for j := range values {
		values[j] = float64(2*j - s.n)
	}
	return information(values, law, s.noise.variance()), entropyOf(law...) + s.told() - entropyOf(p, 1-2*p, p)
}

// everySum returns evidence that Theorem 9 fails for the sum S of n fair signs, for every n. Rounding S + Z to the
// lattice of S gives S + E, so Gaussian noise Z leaks at least H(S) − H(E). The noise N leaks H(S + N) − H(N) = H(S) +
// I(N; S + N) − H(N). I(N; S + N) decreases in n, because one more sign is independent of N. So the theorem fails for
// every n from the first n with I(N; S + N) < H(N) − H(E). Smaller n are compared directly.
func everySum() []check.Item {
	const error = 1e-9 // for at most 20 terms in each entropy
	s := signSum{1, leakCase{2, 2, 2}}
	for ; s.told() >= s.spare()-error; s.n++ {
		if gaussian, other := s.leaks(); gaussian <= other+informationError+error {
			check.Refuse("claims: for %d signs Gaussian noise leaks %g nats, want more than the %g nats of the other noise", s.n, gaussian, other)
		}
	}
	at := fmt.Sprintf("sum of n fair signs, every n from %d on: ", s.n)
	return []check.Item{
		numberWithin(at+"I(N; S + N) at most, nats", s.told(), error, "entropies of finite laws", "Theorem 9"),
		numberWithin(at+"which is less than H(N) − H(E), nats", s.spare(), error, "entropies of finite laws", "Theorem 9"),
		{Label: fmt.Sprintf("sum of n fair signs, n < %d: numbers n at which Gaussian noise leaks more", s.n),
			Number: evidence.Exact{Value: check.Ratio(s.n-1, 1), Provenance: evidence.From("counted")}},
	}
}

// nearCapacity returns the information of the sum of many fair bits with variance 10 relative to the noise's. It also
// returns ½ ln 11, which bounds every query of that variance: Theorem 8 holds for fair bits in the limit.
func nearCapacity() (out []check.Item) {
	for _, n := range []int{2, 10, 100} {
		values := make([]float64, n+1)
		for j := range values {
			values[j] = float64(2*j-n) / math.Sqrt(float64(n))
		}
		label := fmt.Sprintf("information of the sum of %d fair bits, variance/noise 10, nats", n)
		out = append(out, numberWithin(label, information(values, binomialLaw(n), .1), informationError, trapezoid, "Theorem 8"))
	}
	return append(out, numberWithin("½ ln 11, which bounds it, nats", math.Log(11)/2, 4*check.Epsilon64, "logarithm", "Theorem 8"))
}
