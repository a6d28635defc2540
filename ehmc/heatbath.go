package ehmc

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// bath samples bits from their conditional laws, exactly.
type bath struct {
	law  Quadratic
	size []float64 // size[k] ≥ |Π_kk| + 2 Σ_{j≠k} |Π_kj|, a bound on field k
	row  []float64
	lazy bool // skip the decisions in float64 and in 128 digits; for tests
}

func newBath(q Quadratic) *bath {
	d := q.Dim()
	return &bath{law: q, size: make([]float64, d), row: make([]float64, d)}
}

// measure sets size[k] from row k of Π without the diagonal.
func (b *bath) measure(k int, row []float64) {
	sum := math.Abs(b.law.Diagonal(k))
	for _, v := range row {
		sum += 2 * math.Abs(v)
	}
	b.size[k] = sum * (1 + float64(len(row)+2)*0x1p-52)
}

// below reports exactly whether a uniform number is below Pr[b_k = 1 | rest] in state s, or below Pr[b_k = 0 | rest] if
// zero is true. u holds the first 128 binary digits of the number. behind returns a source of the further digits, the
// same at every call.
//
// It decides in float64 if the two numbers differ by more than the error bound. A field has at most moves + d + 1
// roundings of numbers no larger than its size, and the probability changes by at most a quarter of their sum.
// Truncating u to 53 bits changes it by 2⁻⁵³. The roundings of elementary.Exp, of the sum and of the quotient are below
// 2⁻⁴⁹ of the probability. Otherwise it compares 128 digits of both, and finally as many as necessary.
//
// It returns an error wrapping sampling.ErrUndecided if more than sampling.MostBits digits are necessary.
func (b *bath) below(u Threshold, s *State, k int, zero bool, behind func() rand.Source) (bool, error) {
	x := s.field[k]
	if zero {
		x = -x
	}
	e := elementary.Exp(-math.Abs(x))
	p := 1 / (1 + e)
	if x < 0 {
		p = e / (1 + e)
	}
	v := float64(u.Hi>>11) * 0x1p-53
	margin := float64(s.moves+len(s.Bits)+1)*0x1p-54*b.size[k] + 0x1p-52 + 0x1p-49*p
	switch {
	case b.lazy:
	case v < p-margin:
		return true, nil
	case v > p+margin:
		return false, nil
	}
	at := b.exactly(s, k, zero)
	if !b.lazy {
		enclosed := interval.Big(at)
		if u.apart(LogitThreshold(enclosed), Threshold{0, 1}) {
			return true, nil
		}
		if LogitThreshold(enclosed.Upper()).apart(u, Threshold{0, 2}) {
			return false, nil
		}
	}
	if at.Sign() == 0 {
		return u.Hi < 1<<63, nil
	}
	field, _ := at.Rat(nil)
	return sampling.Less(sampling.UniformAfter(behind(), u.Hi, u.Lo).Number(), sampling.Logistic(field))
}

// exactly returns the exact field of bit k, or of its complement if zero is true.
func (b *bath) exactly(s *State, k int, zero bool) *big.Float {
	const all = 2200 // bits, enough for any sum of float64s
	clear(b.row)
	b.law.AddRow(k, 1, b.row)
	sum, v := new(big.Float).SetPrec(all), new(big.Float)
	for j, on := range s.Bits {
		if on && b.row[j] != 0 {
			sum.Add(sum, v.SetFloat64(b.row[j]))
		}
	}
	sum.Add(sum, sum)
	sum.Add(sum, v.SetFloat64(b.law.Diagonal(k)))
	if zero {
		sum.Neg(sum)
	}
	return sum
}

// Gibbs is heat-bath sampling, bit after bit in a fixed order: the baseline.
type Gibbs struct {
	state *State
	rng   *rand.Rand
}

// NewGibbs returns the sampler started at a copy of the given bits. It returns an error wrapping evidence.ErrParameter
// unless the number of bits is the law's.
func NewGibbs(q Quadratic, bits []bool, src rand.Source) (*Gibbs, error) {
	if len(bits) != q.Dim() {
		return nil, parameter.Errorf("%d bits to start from, want %d", len(bits), q.Dim())
	}
	return &Gibbs{newState(q, bits), rand.New(src)}, nil
}

// State implements Sampler.
func (g *Gibbs) State() *State { return g.state }

// Step implements Sampler: one sweep.
func (g *Gibbs) Step() Info {
	info, _ := g.step(context.Background())
	return info
}

func (g *Gibbs) step(ctx context.Context) (Info, error) {
	info := Info{Tries: len(g.state.Bits)}
	pause := pollEvery(len(g.state.Bits))
	for k := range g.state.Bits {
		if k%pause == 0 && ctx.Err() != nil {
			return info, ctx.Err()
		}
		if on := g.rng.Float64() < sigmoid(g.state.field[k]); on != g.state.Bits[k] {
			info.Crosses++
			g.state.flip(k)
		}
	}
	return info, nil
}

// sigmoid returns 1/(1 + e⁻ˣ) without overflow.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
