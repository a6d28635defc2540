package ehmc_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// independentBits is a law of n independent bits with the same logit.
type independentBits struct {
	n     int
	logit float64
}

func (c independentBits) Dim() int                       { return c.n }
func (c independentBits) Diagonal(int) float64           { return c.logit }
func (c independentBits) AddRow(int, float64, []float64) {}

// A bit is set if the first 53 bits of a word are below its probability, up to a few ulps.
func TestGibbsSetsBitBelowProbability(t *testing.T) {
	for _, x := range []float64{0, math.Log(3), -math.Log(3), 4, -4, 20, -20} {
		p := ehmc.LogisticAt(new(big.Rat).SetFloat64(x), 500)
		floor := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 53), p.Denom()).Uint64()
		law := independentBits{1, x}
		sets := func(place uint64) bool {
			g := must.Be(ehmc.NewGibbs(law, []bool{false}, &words{place}))
			info := g.Step()
			if on := g.State().Bits[0]; on != (info.Crosses == 1) || info.Tries != 1 {
				t.Errorf("logit %v: info %+v, but the bit is %t", x, info, on)
			}
			return g.State().Bits[0]
		}
		slack := uint64(0)
		if x != 0 {
			slack = 4
		}
		if !sets(0) || !sets(floor-1-slack) || sets(floor+slack) && x == 0 || sets(floor+1+slack) || sets(1<<53-1) {
			t.Errorf("logit %v: the words that set the bit are not those below %d", x, floor)
		}
	}
}

// The enclosure of a distance contains the value from rational arithmetic and 200-bit square roots, and is tight.
func TestTotalVariationEnclosesExactValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	const prec = 200
	root := func(v *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sqrt(v) }
	ln2, _ := new(big.Float).SetPrec(prec).SetString("0.693147180559945309417232121458176568075500134360255254120680009")
	for trial := range 300 {
		k := 2 + rng.IntN(30)
		p, counts, n := make([]float64, k), make([]int, k), 0
		left := 1 << 40
		for i := range p {
			w := left
			if i < k-1 {
				w = rng.IntN(left + 1)
			}
			p[i], left = float64(w)*0x1p-40, left-w
			counts[i] = rng.IntN(1 << (trial % 30))
			n += counts[i]
		}
		if n == 0 {
			continue
		}
		half := 1 + rng.IntN(40)
		d := must.Be(ehmc.TotalVariation(p, counts, math.Ldexp(1, -half)))
		gap := new(big.Rat)
		for i, v := range p {
			each := new(big.Rat).Sub(big.NewRat(int64(counts[i]), int64(n)), new(big.Rat).SetFloat64(v))
			gap.Add(gap, each.Abs(each))
		}
		plain := new(big.Float).SetPrec(prec).SetRat(gap.Quo(gap, big.NewRat(2, 1)))
		per := func(v *big.Float, by int) *big.Float { return v.Quo(v, new(big.Float).SetInt64(int64(by))) }
		long := func(v int) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(int64(v)) }
		radius := per(root(per(long(k-1), n)), 2)
		radius.Add(radius, root(per(new(big.Float).SetPrec(prec).Mul(ln2, long(half)), 2*n)))
		lo, hi := new(big.Float).Sub(plain, radius), new(big.Float).Add(plain, radius)
		below, _ := new(big.Float).Sub(lo, big.NewFloat(d.Sampler.Lo)).Float64()
		over, _ := new(big.Float).Sub(big.NewFloat(d.Sampler.Hi), hi).Float64()
		if d.Sampler.Lo > 0 && !(below >= 0 && below < 3e-12) || d.Sampler.Lo == 0 && below > 3e-12 {
			t.Errorf("%v of %v: lower bound %v, which is %g below", counts, p, d.Sampler.Lo, below)
		}
		if d.Sampler.Hi < 1 && !(over >= 0 && over < 3e-12) || d.Sampler.Hi == 1 && over < -3e-12 && hi.Cmp(big.NewFloat(1)) < 0 {
			t.Errorf("%v of %v: upper bound %v, which is %g above", counts, p, d.Sampler.Hi, over)
		}
	}
}

// A table contains every probability that float64 represents, down to the smallest.
func TestProbabilitiesOfRareStates(t *testing.T) {
	for x := -1.0; x >= -745; x -= 3.1 {
		for _, at := range []float64{x, -x} {
			p := must.Be(ehmc.Probabilities(independentBits{1, at}))
			least := min(p[0], p[1])
			want, _ := new(big.Float).SetRat(ehmc.LogisticAt(new(big.Rat).SetFloat64(x), 1400)).Float64()
			if math.Abs(least-want) > 1e-12*want+2e-324 {
				t.Errorf("logit %v: %v, want %v", at, least, want)
			}
		}
	}
	if p := must.Be(ehmc.Probabilities(independentBits{1, -745})); p[1] != math.SmallestNonzeroFloat64 {
		t.Errorf("logit −745: %v", p)
	}
}

// DeltaOf bounds from above: noise at ε from a sampler at distance τ is (ε, (1 + e^ε)τ)-private.
func TestDeltaOfIsABound(t *testing.T) {
	for _, eps := range []float64{0, 1e-9, .1, 1, 30, 700, 800} {
		e := evidence.Epsilon{}
		if eps > 0 {
			e = must.Be(evidence.NewEpsilon("eps", eps))
		}
		for _, tv := range []float64{5e-324, 1e-300, 1e-9, .1, .5, 1} {
			got := must.Be(ehmc.DeltaOf(e, tv))
			v := interval.Float(eps).Exp().Add(interval.Int(1)).Mul(interval.Float(tv))
			lo, hi := v.Bounds()
			if got < math.Min(lo, 1) || got > math.Min(hi, 1) {
				t.Errorf("ε = %g, τ = %g: δ = %v, want [%v, %v]", eps, tv, got, lo, hi)
			}
		}
		if got, err := ehmc.DeltaOf(e, 0); got != 0 || err != nil {
			t.Errorf("distance 0 gives δ = %v, %v", got, err)
		}
	}
	far := must.Be(evidence.NewEpsilon("eps", 801))
	if got, err := ehmc.DeltaOf(far, 5e-324); got != 1 || err != nil {
		t.Errorf("at ε = 801: δ = %v, %v", got, err)
	}
}
