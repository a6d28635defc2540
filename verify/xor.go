package verify

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// maxBits is the largest number of bits whose states are enumerated.
const maxBits = 16

// Bits has the methods of a law on bits whose results XOR recomputes.
type Bits interface {
	xor.Noise
	Shape() (n, p int)
	Pi() ([][]float64, error)
	LogNormalizer(ctx context.Context) (evidence.Certified, error)
	ErrorRate(ctx context.Context, ones int, complement xor.Variant) (evidence.Certified, error)
}

// XOR enumerates all states of noise with Pr[b] ∝ exp(bᵀΠb). For each neighbor relation it enumerates all patterns in
// which neighbors may differ. It returns an error wrapping evidence.ErrParameter beyond 16 bits, and the context's
// error.
func XOR(ctx context.Context, b Bits) (*Report, error) {
	n, p := b.Shape()
	logs, normalized, err := bitLaw(b)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	normalizer, err := b.LogNormalizer(ctx)
	if err != nil {
		return nil, err
	}
	r.part("log normalizer").number(normalizer, normalized, ".log_normalizer()")
	rate, err := b.ErrorRate(ctx, 0, false)
	if err != nil {
		return nil, err
	}
	r.part("error rate").number(rate, flips(logs)/float64(n*p), ".error_rate()")
	return r, r.bits(ctx, b, n, p, logs)
}

// bitLaw returns the log-probabilities of all states, and the logarithm of the normalizer. It returns an error wrapping
// evidence.ErrParameter beyond 16 bits.
func bitLaw(b Bits) (logs []float64, normalizer float64, err error) {
	n, p := b.Shape()
	if n*p > maxBits {
		return nil, 0, parameter.Errorf("the noise has %d bits, want at most %d", n*p, maxBits)
	}
	pi, err := b.Pi()
	if err != nil {
		return nil, 0, err
	}
	logs = make([]float64, 1<<(n*p))
	for state := range logs {
		for i := range pi {
			for j := range pi {
				if state>>i&1 == 1 && state>>j&1 == 1 {
					logs[state] += pi[i][j]
				}
			}
		}
	}
	first := logs[1]
	normalized(logs)
	return logs, first - logs[1], nil
}

// OptimalXOR checks the law of an optimal XOR release, whose states are listed, as XOR does.
func OptimalXOR(ctx context.Context, l *xor.OptimalNoise) (*Report, error) {
	r := new(Report)
	logs, sum := make([]float64, l.States()), 0.0
	for state := range logs {
		logs[state] = math.Log(l.Prob(state))
		sum += l.Prob(state)
	}
	r.part("probabilities").is(close(sum, 1), ".prob()  # sums to %.12g", sum)
	r.part("mean flips").number(l.MeanFlips(), flips(logs), ".mean_flips")
	return r, r.bits(ctx, l, l.Rows, l.Columns, logs)
}

// flips returns the mean number of ones in a state.
func flips(logs []float64) (mean float64) {
	for state, log := range logs {
		for k := state; k > 0; k >>= 1 {
			mean += float64(k&1) * math.Exp(log)
		}
	}
	return mean
}

// differ returns a function that reports whether neighbors may differ in a pattern of n × p bits: in at most times
// bits, in bits of one "row", or in one "edge".
func differ(n, p int, neighbors string, times int) func(mask int) bool {
	return func(mask int) bool {
		ones := 0
		for k := mask; k > 0; k >>= 1 {
			ones += k & 1
		}
		for i := range n {
			if neighbors == "row" && mask&^((1<<p-1)<<(i*p)) == 0 {
				return true
			}
			for j := range i {
				if neighbors == "edge" && mask == 1<<(i*p+j)|1<<(j*p+i) {
					return true
				}
			}
		}
		return neighbors == "bits" && ones <= times
	}
}

// bits recomputes the privacy under every neighbor relation.
func (r *Report) bits(ctx context.Context, b xor.Noise, n, p int, logs []float64) error {
	type relation struct {
		name, arguments string
		neighbors       xor.Neighbors
		differ          func(mask int) bool
	}
	relations := []relation{{"one bit", "1", xor.FlipBits(1), differ(n, p, "bits", 1)}, {"one row", `neighbors="row"`, xor.FlipRows(1), differ(n, p, "row", 1)}}
	if n*p > 1 {
		relations = append(relations, relation{"two bits", "2", xor.FlipBits(2), differ(n, p, "bits", 2)})
	}
	if n == p && n > 1 {
		relations = append(relations, relation{"one edge", `neighbors="edge"`, xor.FlipEdges(1), differ(n, p, "edge", 1)})
	}
	for _, of := range relations {
		f, err := b.PairsUnder(of.neighbors)
		if err != nil {
			return err
		}
		account := privacy.New(f)
		printed, err := account.Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return err
		}
		worst, cases := 0.0, int64(0)
		for mask := 1; mask < len(logs); mask++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if of.differ(mask) {
				cases += int64(len(logs))
				for state := range logs {
					worst = max(worst, logs[state]-logs[state^mask])
				}
			}
		}
		found := r.part("smallest ε, " + of.name)
		found.number(printed, worst, ".smallest_epsilon(%s)", of.arguments)
		found.Cases = cases
		eps, err := evidence.NewEpsilon("eps", worst/2)
		if err != nil || worst == 0 || math.IsInf(worst, 1) {
			continue
		}
		delta := 0.0
		for mask := 1; mask < len(logs); mask++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !of.differ(mask) {
				continue
			}
			sum := 0.0
			for state := range logs {
				if logs[state] > logs[state^mask]+worst/2 {
					sum += math.Exp(logs[state]) - math.Exp(worst/2+logs[state^mask])
				}
			}
			delta = max(delta, sum)
		}
		if printed, err = account.Delta(ctx, eps); err != nil {
			return err
		}
		r.part("δ, "+of.name).number(printed, delta, ".delta_at(%v, %s)", worst/2, of.arguments)
	}
	return nil
}
