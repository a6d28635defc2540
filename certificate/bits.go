package certificate

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/xor"
)

// bitsEpsilon states the smallest ε of noise on bits. It needs no proof: a checker finds the worst state of every
// difference itself.
func bitsEpsilon(s *xor.LossStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		law := s.Of.Written()
		kind, most, patterns := s.Neighbors.Relation()
		if work := lossWork(s.Of, law, kind, most, patterns); !(work <= mostBitWork) {
			return nil, nil, parameter.Errorf("no certificate of %s: a checker would add %.3g numbers, want at most %g", n, work, float64(mostBitWork))
		}
		return object{"kind": "bits epsilon", "law": bitLaw(law), "neighbors": relation(kind, most, patterns), "is": is(n)}, object{}, nil
	}
}

// bitsNormalizer states ln Σ exp(bᵀΠb).
func bitsNormalizer(s *xor.NormalizerStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		law := s.Of.Written()
		if err := statesFew(s.Of, law, n); err != nil {
			return nil, nil, err
		}
		return object{"kind": "bits normalizer", "law": bitLaw(law), "is": is(n)}, object{}, nil
	}
}

// bitsFlips states the expected number of ones or of zeros, divided by the statement's Per.
func bitsFlips(s *xor.FlipsStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		law := s.Of.Written()
		if err := statesFew(s.Of, law, n); err != nil {
			return nil, nil, err
		}
		count := "ones"
		if s.Complement {
			count = "zeros"
		}
		return object{"kind": "bits flips", "law": bitLaw(law), "count": count, "per": s.Per.String(), "is": is(n)}, object{}, nil
	}
}

// bitLaw encodes a law by Θ and the Λ_ij.
func bitLaw(w xor.Written) object {
	matrix := func(rows [][]*big.Rat) list { return listOf(rows, rationals) }
	out := object{"objects": w.N, "features": w.P}
	if w.Uniform {
		out["theta"], out["lambda"] = rational(w.Theta[0][0]), rational(w.Lambda)
		return out
	}
	blocks := list{}
	for _, b := range w.Blocks {
		blocks = append(blocks, list{b.I, b.J, matrix(b.Lambda)})
	}
	out["theta"], out["lambda"] = matrix(w.Theta), blocks
	return out
}

// relation encodes a neighbor relation on bits.
func relation(kind string, most int, patterns [][]int) object {
	if kind != "patterns" {
		return object{kind: most}
	}
	return object{kind: listOf(patterns, places)}
}

const (
	// mostBitWork bounds the numbers that a checker adds up for a smallest ε.
	mostBitWork = 1 << 24
	// mostPartBits bounds the bits of an independent part whose states a checker visits. mostTerms bounds the objects
	// of a law whose columns are alike.
	mostPartBits = 16
	mostTerms    = 1 << 16
)

// statesFew returns an error for a law with too many states to visit.
func statesFew(b *xor.Bernoulli, w xor.Written, n evidence.Number) error {
	if w.Uniform {
		if w.N > mostTerms && w.Lambda.Sign() != 0 {
			return parameter.Errorf("no certificate of %s: columns of %d objects, want at most %d", n, w.N, mostTerms)
		}
		return nil
	}
	parts, states := b.Parts(), 0.0
	for _, bits := range parts {
		if bits > mostPartBits {
			return parameter.Errorf("no certificate of %s: an independent part of %d bits, want at most %d", n, bits, mostPartBits)
		}
		if states += float64(uint64(1) << bits); states > 1<<(mostPartBits+2) {
			return parameter.Errorf("no certificate of %s: its independent parts have more than %d states in total", n, 1<<(mostPartBits+2))
		}
	}
	return nil
}

// lossWork estimates how many numbers a checker adds up for a smallest ε.
func lossWork(b *xor.Bernoulli, w xor.Written, kind string, most int, patterns [][]int) float64 {
	if w.Uniform {
		switch kind {
		case "bits":
			return float64(min(most, w.N)) * 8
		case "patterns":
			return 0
		case "rows":
			return float64(min(most, w.N))
		case "edges":
			if most == 1 {
				return 0
			}
		}
	}
	widest, total := 0, w.N*w.P
	for _, bits := range b.Parts() {
		widest = max(widest, bits)
	}
	flips := func(bits, most int) float64 { // Σ C(bits, t) 2^t
		sum, term := 0.0, 1.0
		for t := range min(bits, most) {
			term *= 2 * float64(bits-t) / float64(t+1)
			sum += term
		}
		return sum
	}
	switch kind {
	case "bits":
		work := 0.0
		for _, bits := range b.Parts() {
			work += flips(bits, most)*float64(bits+2) + float64(min(most, w.N))*float64(most)*float64(min(bits, most)+1)
		}
		return work
	case "rows":
		if most == 1 {
			return flips(w.P, w.P) * float64(widest) * float64(min(w.N, len(w.Blocks)*2+1))
		}
	case "edges":
		if most == 1 {
			return float64(w.N) * float64(w.N) * 4 * float64(widest)
		}
	case "patterns":
		work := 0.0
		for _, p := range patterns {
			work += float64(widest) * float64(uint64(1)<<min(len(p)+1, 62))
		}
		return work
	}
	// Several rows or edges: all differences of at most 16 bits.
	if w.N > mostPartBits || w.P > mostPartBits || w.N*w.P > mostPartBits {
		return math.Inf(1)
	}
	return flips(total, total) * float64(widest)
}
