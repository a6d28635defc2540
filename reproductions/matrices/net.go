package matrices

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Quality is the distance of a matrix of the net from the data. Max is the largest distance of two entries, the worst
// error over the queries for single entries. Sum is the sum of all distances.
type Quality string

// The two qualities.
const (
	Max Quality = "max"
	Sum Quality = "sum"
)

// Net is the exponential mechanism of Blum, Ligett and Roth (2013) on a finite net for the identity query: the m×n
// matrices whose row i takes Levels evenly spaced values from −h_i to h_i. A matrix Y has the weight exp(−η d(X,
// Y)/2Δ). Here d is the distance of the quality, and Δ is its sensitivity if one record (column) moves anywhere within
// the box: 2 max h_i, or 2 Σ h_i.
//
// The paper's text was not available, and the MVG paper specifies neither net nor quality. Max is the quality of the
// original, the worst error over a class of queries, here all entries. With Sum the entries are independent.
type Net struct {
	HalfWidths []float64
	Records    int
	Levels     int
	Quality    Quality
	Parameter  evidence.Epsilon // η

	claimed bool
}

const netSource = "Blum, Ligett and Roth 2013, by McSherry and Talwar 2007"

// mostNet bounds the number of entries of a matrix of the net, and the total number of values of its entries.
const mostNet = 1 << 26

// NewNet returns the mechanism with the parameter η, for which η-privacy is claimed. It returns an error wrapping
// evidence.ErrParameter unless the half-widths and η are positive and finite, there is a record, 2 ≤ levels ≤ 2²⁰, and
// the entries have at most 2²⁶ values in all.
func NewNet(halfWidths []float64, records, levels int, quality Quality, eta evidence.Epsilon) (Net, error) {
	if len(halfWidths) == 0 {
		return Net{}, parameter.Errorf("half_width is empty, want at least one number")
	}
	for i, h := range halfWidths {
		if err := parameter.Positive(fmt.Sprintf("half_width[%d]", i), h); err != nil {
			return Net{}, err
		}
	}
	if records < 1 {
		return Net{}, parameter.Bad("n", records, "at least 1")
	}
	if levels < 2 || levels > 1<<20 {
		return Net{}, parameter.Bad("levels", levels, "2 <= levels <= %d", 1<<20)
	}
	if size := float64(len(halfWidths)) * float64(records) * float64(levels); size > mostNet {
		return Net{}, parameter.Errorf("a net of %d×%d matrices of %d levels has %.3g values of entries, want at most %d", len(halfWidths), records, levels, size, mostNet)
	}
	if quality != Max && quality != Sum {
		return Net{}, parameter.Bad("quality", quality, "%q or %q", Max, Sum)
	}
	if err := eta.Positive("eps"); err != nil {
		return Net{}, err
	}
	return Net{slices.Clone(halfWidths), records, levels, quality, eta, true}, nil
}

// ExactNet returns the mechanism with about the largest η whose upper bound on δ(ε) is at most δ. Errors wrap
// evidence.ErrParameter.
func ExactNet(halfWidths []float64, records, levels int, quality Quality, eps evidence.Epsilon, delta evidence.Delta) (Net, error) {
	if err := eps.Positive("eps"); err != nil {
		return Net{}, err
	}
	eta := eps
	if !delta.IsZero() {
		var err error
		if eta, err = rangedParameter(eps, delta); err != nil {
			return Net{}, err
		}
	}
	if quality == Sum { // its smallest ε is η/2: see Privacy
		eta = eps.Times(2)
		if !delta.IsZero() {
			e := eps.Enclosure()
			most, _ := delta.Bounds()
			holds := func(eta float64) bool {
				pure, err := evidence.NewEpsilon("eps", eta/2)
				if err != nil {
					return false
				}
				_, hi := privacy.PureDelta(pure.Number(), eps, netSource).Bounds()
				return hi <= most
			}
			lo, _ := e.Bounds()
			var err error
			if eta, err = evidence.NewEpsilon("eps", largest(2*lo, 4*lo+16, holds)); err != nil {
				return Net{}, err
			}
		}
	}
	n, err := NewNet(halfWidths, records, levels, quality, eta)
	n.claimed = false
	return n, err
}

// Claimed returns the ε that the mechanism's theorem claims. ok is false if η was chosen from the exact privacy.
func (n Net) Claimed() (eps evidence.Claimed, ok bool) {
	return evidence.Claimed{Value: n.Parameter.Value(), Epsilon: n.Parameter, Provenance: evidence.From(netSource)}, n.claimed
}

// Sensitivity encloses Δ.
func (n Net) Sensitivity() evidence.Certified {
	total := interval.Int(0)
	for _, h := range n.HalfWidths {
		if n.Quality == Max {
			total = interval.Max(total, interval.Float(h))
		} else {
			total = total.Add(interval.Float(h))
		}
	}
	return evidence.WithSide(evidence.Enclosed(total.Add(total), "closed form", "sensitivity of the quality"), evidence.Up)
}

// rate returns η/2Δ.
func (n Net) rate() float64 { return n.Parameter.Value() / (2 * n.Sensitivity().Float()) }

// LogSize encloses the logarithm of the number of matrices, levels^{mn}.
func (n Net) LogSize() evidence.Certified {
	entries := interval.Int(int64(len(n.HalfWidths)) * int64(n.Records))
	return evidence.Enclosed(interval.Int(int64(n.Levels)).Log().Mul(entries), "closed form", "matrices of the net")
}

// Privacy returns the known privacy of the mechanism for data in the box.
//
// Sum: entries are independent, and a record's loss is the sum of its coordinates'. Consider one of them, with
// weights e^{−c|y−x|} and Z(x) their sum. The loss from x to x' > x at y is at most c(x' − x) + ln Z(x')/Z(x),
// attained at the lowest y. As |Z'| ≤ cZ, it increases with x' and decreases with x. Z has the same value at both
// ends of the box, so the maximum is 2ch_i. The sum over i is η/2, the smallest ε, exactly.
//
// Max: the range of the loss is η. If a record at one corner of the box moves to the opposite one, the two laws mirror
// each other, and the loss at X itself is at least η/2.
func (n Net) Privacy() privacy.Profile {
	half := n.Parameter.Ratio(1, 2)
	if n.Quality == Sum {
		pure := half.Number()
		return privacy.ProfileFunc{
			Pure: func(context.Context) (evidence.Number, error) { return pure, nil },
			At: func(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
				return privacy.PureDelta(pure, eps, netSource), nil
			},
			Source: netSource,
		}
	}
	eta := n.Parameter.Enclosure()
	return ranged{eta, evidence.EnclosedLoss(interval.Hull(half.Enclosure(), eta), "mirrored data sets, and the range of the loss", netSource)}
}

// mostListed bounds the number of matrices of nets that Mechanism lists.
const mostListed = 512

// IsListed reports whether Mechanism can list the law.
func (n Net) IsListed() bool { return n.listed() > 0 }

// listed returns the number of matrices, or 0 if there are more than mostListed.
func (n Net) listed() int {
	size := 1
	for range len(n.HalfWidths) * n.Records {
		if size *= n.Levels; size > mostListed {
			return 0
		}
	}
	return size
}

// Mechanism returns the mechanism as an exact finite one. Its data sets and its outputs are the net's matrices, ordered
// by their entries row by row, the last one fastest. It returns an error wrapping evidence.ErrParameter if the net has
// more than 512 matrices, and the context's error.
func (n Net) Mechanism(ctx context.Context) (mechanism.Mechanism, error) {
	m := len(n.HalfWidths)
	entries, size := m*n.Records, n.listed()
	if size == 0 {
		return nil, parameter.Errorf("a net of e^%.4g matrices, want at most %d to list its law", n.LogSize().Float(), mostListed)
	}
	digits := func(x int) []int {
		d := make([]int, entries)
		for e := entries - 1; e >= 0; e-- {
			d[e] = x % n.Levels
			x /= n.Levels
		}
		return d
	}
	width := make([]*big.Rat, m)
	for i, h := range n.HalfWidths {
		width[i] = new(big.Rat).SetFloat64(h)
		width[i].Mul(width[i], big.NewRat(2, int64(n.Levels-1)))
	}
	distances := make([][]*big.Rat, size)
	apart := make([][]float64, size)
	values := make([]float64, size)
	for x := range size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values[x] = float64(x)
		dx := digits(x)
		distances[x], apart[x] = make([]*big.Rat, size), make([]float64, size)
		for y := range size {
			d, moved := new(big.Rat), map[int]bool{}
			for e, v := range digits(y) {
				if v == dx[e] {
					continue
				}
				moved[e%n.Records] = true
				one := new(big.Rat).Mul(width[e/n.Records], big.NewRat(int64(max(v-dx[e], dx[e]-v)), 1))
				if n.Quality == Sum {
					d.Add(d, one)
				} else if d.Cmp(one) < 0 {
					d = one
				}
			}
			distances[x][y], apart[x][y] = d, float64(len(moved))
		}
	}
	space, err := query.NewMatrixSpace(apart)
	if err != nil {
		return nil, err
	}
	outputs := make([]query.Value, size)
	for x := range values {
		outputs[x] = query.RationalValue(big.NewRat(int64(x), 1))
	}
	q, err := query.New("net", space, outputs, outputs, query.ValueMetric{Rational: distances})
	if err != nil {
		return nil, err
	}
	out, err := mechanism.NewExponential(ctx, q, n.Parameter)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// String describes the mechanism.
func (n Net) String() string {
	return fmt.Sprintf("exponential mechanism on a net of e^%s matrices, %d×%d of %d levels, quality %q", evidence.FormatNumber(n.LogSize(), 6), len(n.HalfWidths), n.Records, n.Levels, string(n.Quality))
}
