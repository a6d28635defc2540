package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// DPSGD is the privacy of training by noisy stochastic gradient descent (Abadi and others 2016). Every step samples
// records, sums their clipped gradients and adds Gaussian noise. The trained model is post-processing of the noisy
// sums of all steps.
type DPSGD struct {
	NoiseMultiplier *big.Rat // standard deviation of the noise in units of the L2 sensitivity of the sum
	Rate            *big.Rat // the sampling rate of each step
	Steps           int
	Sampling        Sampling

	account *Account
}

// NewDPSGD returns the privacy of a training loop: the composition of its steps, each of which is the subsampled
// Gaussian mechanism. Neighbors add or remove a record under Poisson sampling. Under sampling without replacement they
// replace a record, and the noise multiplier refers to the sensitivity to a replacement. It returns an error wrapping
// evidence.ErrParameter unless the noise multiplier is between 1/100 and 10⁶, 0 ≤ rate ≤ 1, and the number of steps
// between 1 and 2³⁰.
func NewDPSGD(ctx context.Context, noiseMultiplier, rate *big.Rat, steps int, kind Sampling) (*DPSGD, error) {
	if noiseMultiplier.Cmp(leastNoise) < 0 || noiseMultiplier.Cmp(mostNoise) > 0 {
		return nil, parameter.Bad("noise_multiplier", noiseMultiplier, "%s <= noise_multiplier <= %s", leastNoise.RatString(), mostNoise.RatString())
	}
	if steps < 1 || steps > maxUses {
		return nil, parameter.Bad("steps", steps, "1…%d", maxUses)
	}
	if rate.Sign() < 0 {
		return nil, parameter.Bad("rate", rate, "0 <= rate <= 1")
	}
	mu := interval.Rat(new(big.Rat).Inv(noiseMultiplier))
	step, err := Subsample(ctx, New(NormalPairs("Gaussian noise of multiplier "+shortRat(noiseMultiplier), "Gaussian noise", mu)), rate, kind)
	if err != nil {
		return nil, err
	}
	all, err := step.Compose(steps)
	if err != nil {
		return nil, err
	}
	return &DPSGD{noiseMultiplier, rate, steps, kind, all}, nil
}

var leastNoise, mostNoise = big.NewRat(1, 100), big.NewRat(1_000_000, 1)

// Pairs implements Private.
func (s *DPSGD) Pairs(ctx context.Context) (*DominatingPairs, error) { return s.account.Pairs(ctx) }

// Account returns the privacy of all steps.
func (s *DPSGD) Account() *Account { return s.account }

// String returns the parameters.
func (s *DPSGD) String() string {
	return fmt.Sprintf("DP-SGD of noise multiplier %s, %d steps and rate %s, sampling %q", shortRat(s.NoiseMultiplier), s.Steps, shortRat(s.Rate), string(s.Sampling))
}

// Relation returns the neighbor relation.
func (s *DPSGD) Relation() query.Relation { return s.account.Relation() }

// DPSGDParameter is a parameter of a training loop.
type DPSGDParameter string

// The parameters that CalibrateDPSGD finds.
const (
	SGDNoiseMultiplier DPSGDParameter = "noise_multiplier"
	SGDRate            DPSGDParameter = "rate"
	SGDSteps           DPSGDParameter = "steps"
)

// CalibrateDPSGD finds the least noise multiplier, the largest rate or the largest number of steps for which a training
// loop is (ε, δ)-private. The other parameters are those of given. It returns the loop and the parameter found, to four
// digits, or to the integer for fewer than 1000 steps. A multiplier is rounded up, a rate or number of steps down. The
// safe bound of the number is the value that is returned, which is proven to be (ε, δ)-private. The other bound is
// proven not to be. It is the next value of four digits unless the sign of the difference was too small to tell.
// CalibrateDPSGD returns an error wrapping evidence.ErrParameter if no value in the range is private.
func CalibrateDPSGD(ctx context.Context, given *DPSGD, sought DPSGDParameter, eps evidence.Epsilon, delta evidence.Delta) (*DPSGD, evidence.Certified, error) {
	if err := delta.Positive("delta"); err != nil {
		return nil, evidence.Certified{}, err
	}
	if err := eps.Positive("eps"); err != nil {
		return nil, evidence.Certified{}, err
	}
	switch {
	case sought != SGDNoiseMultiplier && sought != SGDRate && sought != SGDSteps:
		return nil, evidence.Certified{}, parameter.Bad("sought", string(sought), "%q, %q or %q", SGDNoiseMultiplier, SGDRate, SGDSteps)
	case sought != SGDNoiseMultiplier && (given.NoiseMultiplier == nil || given.NoiseMultiplier.Sign() <= 0):
		return nil, evidence.Certified{}, parameter.Bad("noise_multiplier", given.NoiseMultiplier, "a positive number")
	case sought != SGDRate && (given.Rate == nil || given.Rate.Sign() <= 0):
		return nil, evidence.Certified{}, parameter.Bad("rate", given.Rate, "a positive number")
	case sought != SGDSteps && given.Steps < 1:
		return nil, evidence.Certified{}, parameter.Bad("steps", given.Steps, "a positive number")
	}
	g := &sgdSearch{given: given, sought: sought, eps: eps, delta: delta}
	return g.run(ctx)
}

// sgdSearch searches a parameter on the grid of its values with four digits. A place is an index of this grid. Larger
// places are more private: noise multipliers ascend, rates and steps descend.
type sgdSearch struct {
	given  *DPSGD
	sought DPSGDParameter
	eps    evidence.Epsilon
	delta  evidence.Delta
	asked  int // evaluations so far
}

const (
	gridDecade    = 9000                // values of four digits from a power of ten to the next
	wholeSteps    = 3*gridDecade - 1000 // index in the grid minus index among the numbers of steps, from 1000 on
	leastRate     = 1e-12
	finestDecides = 1e-5 // least relative width of ε that decide tries
)

// index returns the position of a place's value when the values ascend: the place for noise multipliers, −place for
// rates and steps.
func (g *sgdSearch) index(place int) int {
	if g.sought == SGDNoiseMultiplier {
		return place
	}
	return -place
}

// value returns the value at a place.
func (g *sgdSearch) value(place int) *big.Rat {
	i := g.index(place)
	if g.sought == SGDSteps {
		if i < 1000 {
			return big.NewRat(int64(i), 1)
		}
		i += wholeSteps
	}
	decade := int(math.Floor(float64(i) / gridDecade))
	digits := int64(1000 + i - decade*gridDecade)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(decade-3, 3-decade))), nil)
	if decade < 3 {
		return new(big.Rat).SetFrac(big.NewInt(digits), power)
	}
	return new(big.Rat).SetInt(power.Mul(power, big.NewInt(digits)))
}

// near returns a place whose value is near a float64.
func (g *sgdSearch) near(v float64) int {
	if g.sought == SGDSteps && v < 1000 {
		return g.index(int(math.Round(v)))
	}
	decade := math.Floor(math.Log10(v))
	i := int(decade*gridDecade + math.Round((v/math.Pow(10, decade)-1)*1000))
	if g.sought == SGDSteps {
		i -= wholeSteps
	}
	return g.index(i)
}

// ends returns the least private and the most private place of the search.
func (g *sgdSearch) ends() (first, last int) {
	switch g.sought {
	case SGDNoiseMultiplier:
		return g.near(0.01) + 1, g.near(1e6) // +1, since edge would round 0.01 down, out of the range
	case SGDRate:
		return g.near(1), g.near(leastRate)
	}
	return g.near(1e9), g.near(1)
}

// edge returns the value at a place, rounded to a float64 in the direction of less privacy. If the rounded value is
// proven private, so is the value itself. The bounds of evidence must be float64s.
func (g *sgdSearch) edge(place int) float64 {
	v := g.value(place)
	lo, hi := interval.Rat(v).Bounds()
	if f, exact := v.Float64(); exact {
		return f
	}
	if g.sought == SGDNoiseMultiplier {
		return lo
	}
	return hi
}

// with returns the training loop with v as the sought parameter.
func (g *sgdSearch) with(ctx context.Context, v *big.Rat) (*DPSGD, error) {
	noise, rate, steps := g.given.NoiseMultiplier, g.given.Rate, g.given.Steps
	switch g.sought {
	case SGDNoiseMultiplier:
		noise = v
	case SGDRate:
		rate = v
	default:
		steps = int(v.Num().Int64())
	}
	return NewDPSGD(ctx, noise, rate, steps, g.given.Sampling)
}

// guess returns the value of the parameter that the central limit theorem suggests.
func (g *sgdSearch) guess() (float64, error) {
	mu, err := gaussian.Mu(g.eps, g.delta)
	if err != nil {
		return 0, err
	}
	square := mu.Float() * mu.Float()
	noise, rate, steps := ratFloat(g.given.NoiseMultiplier), ratFloat(g.given.Rate), float64(g.given.Steps)
	switch g.sought {
	case SGDNoiseMultiplier:
		return 1 / math.Sqrt(math.Log1p(square/(rate*rate*steps))), nil
	case SGDRate:
		return math.Sqrt(square / steps / math.Expm1(1/(noise*noise))), nil
	}
	return square / (rate * rate) / math.Expm1(1/(noise*noise)), nil
}

func ratFloat(q *big.Rat) float64 {
	if q == nil {
		return 0
	}
	f, _ := q.Float64()
	return f
}

// decide compares ε at a place with the given ε. It returns −1 if the loop is private, 1 if not, and 0 if undecided.
// mid is the middle of an enclosure of ε, which first has the given relative width and is narrowed if it does not
// decide.
func (g *sgdSearch) decide(ctx context.Context, place int, width float64) (sign int, mid float64, err error) {
	g.asked++
	parallel.Report(ctx, int64(g.asked), 0, "%s %s", string(g.sought), shortRat(g.value(place)))
	s, err := g.with(ctx, new(big.Rat).SetFloat64(g.edge(place)))
	if err != nil {
		return 0, 0, err
	}
	least, most := g.eps.Enclosure().Bounds()
	for {
		a, err := s.account.Within(width)
		if err != nil {
			return 0, 0, err
		}
		e, err := a.Epsilon(ctx, g.delta)
		if err != nil {
			return 0, 0, err
		}
		lo, hi := e.Bounds()
		mid = (lo + hi) / 2
		switch {
		case hi <= least:
			return -1, mid, nil
		case lo > most:
			return 1, mid, nil
		case width <= finestDecides:
			return 0, mid, nil
		}
		width = max(width/10, finestDecides)
	}
}

// run searches by the secant method in logarithms. bad is the most private place known not to be private, and good the
// least private place known to be private. decide did not decide the places from open to shut.
func (g *sgdSearch) run(ctx context.Context) (*DPSGD, evidence.Certified, error) {
	first, last := g.ends()
	bad, good := first-1, last+1
	open, shut := 0, -1
	start, err := g.guess()
	if err != nil {
		return nil, evidence.Certified{}, err
	}
	place := min(max(g.near(start), first), last)
	target, width := g.eps.Value(), 1e-2
	slope := map[DPSGDParameter]float64{SGDNoiseMultiplier: -1.5, SGDRate: 1, SGDSteps: 0.5}[g.sought]
	var x, y float64
	for n := 0; ; n++ {
		sign, mid, err := g.decide(ctx, place, width)
		if err != nil {
			return nil, evidence.Certified{}, err
		}
		switch {
		case sign < 0:
			good = place
		case sign > 0:
			bad = place
		case open > shut:
			open, shut = place, place
		default:
			open, shut = min(open, place), max(shut, place)
		}
		if good-bad == 1 || open == bad+1 && shut == good-1 {
			break
		}
		oldX, oldY := x, y
		x, y = math.Log(ratFloat(g.value(place))), min(max(math.Log(mid/target), -5), 5)
		if s := (y - oldY) / (x - oldX); n > 0 && math.Abs(s) > 0.05 && math.Abs(s) < 20 && (s < 0) == (slope < 0) {
			slope = s
		}
		next := g.near(math.Exp(x - y/slope))
		if n > 12 && bad >= first && good <= last {
			next = bad + (good-bad)/2
		}
		const far = 2 * gridDecade
		next = min(max(next, bad+1, place-far), good-1, place+far)
		for open <= next && next <= shut { // skip the undecided places
			if good > shut+1 {
				next = shut + 1
			} else {
				next = open - 1
			}
		}
		switch place = next; {
		case math.Abs(y) < 0.003:
			width = 1e-4
		case math.Abs(y) < 0.03:
			width = 1e-3
		}
	}
	if good > last {
		return nil, evidence.Certified{}, parameter.Errorf("no %s in its range gives (%v, %v)-differential privacy: even %[1]s = %[4]s does not", string(g.sought), g.eps, g.delta, shortRat(g.value(last)))
	}
	found, err := g.with(ctx, g.value(good))
	if err != nil {
		return nil, evidence.Certified{}, err
	}
	number := evidence.Certified{Side: evidence.Down, Lo: g.edge(good), Hi: g.edge(max(bad, first)), Provenance: evidence.From("composition of the steps; Zhu, Dong and Wang 2022, Theorem 11").By("one end is (ε, δ)-private and the other is not")}
	switch {
	case g.sought == SGDNoiseMultiplier:
		number.Lo, number.Hi, number.Side = g.edge(max(bad, first)), g.edge(good), evidence.Up
		if bad < first {
			number.Lo = 0
		}
	case bad < first && g.sought == SGDSteps:
		number.Hi = math.Inf(1)
	}
	return found, number, nil
}
