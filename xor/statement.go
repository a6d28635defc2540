package xor

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"
)

// LossStatement states the smallest ε of noise for a neighbor relation.
type LossStatement struct {
	Of        *Bernoulli
	Neighbors Neighbors
}

// NormalizerStatement states ln Σ exp(bᵀΠb).
type NormalizerStatement struct{ Of *Bernoulli }

// FlipsStatement states E‖B‖²/Per, or E‖1 − B‖²/Per.
type FlipsStatement struct {
	Of         *Bernoulli
	Complement bool
	Per        *big.Int // a positive integer
}

// Says implements evidence.Statement.
func (s *LossStatement) Says() string {
	return fmt.Sprintf("the smallest ε of %s for neighbors that differ in %s", s.Of.says(), s.Neighbors.says())
}

// Says implements evidence.Statement.
func (s *NormalizerStatement) Says() string { return "the log-normaliser of " + s.Of.says() }

// Says implements evidence.Statement.
func (s *FlipsStatement) Says() string {
	return fmt.Sprintf("the expected flips of %s over %v", s.Of.says(), s.Per)
}

func (b *Bernoulli) says() string { return fmt.Sprintf("noise on %d × %d bits", b.n, b.p) }

func (nb Neighbors) says() string {
	switch nb.kind {
	case anyBits:
		return fmt.Sprintf("at most %d bits", nb.times)
	case wholeRows:
		return fmt.Sprintf("at most %d rows", nb.times)
	case edges:
		return fmt.Sprintf("at most %d edges", nb.times)
	}
	var shown []string
	for _, m := range nb.patterns[:min(3, len(nb.patterns))] {
		shown = append(shown, fmt.Sprint(m.numbers()))
	}
	if len(nb.patterns) > 3 {
		shown = append(shown, "…")
	}
	return "the bits " + strings.Join(shown, ", ")
}

// numbers returns the indices i·P + j of the entries (i, j) that are 1.
func (b *Bits) numbers() []int {
	var out []int
	for i := range b.n {
		for j := range b.p {
			if b.At(i, j) {
				out = append(out, i*b.p+j)
			}
		}
	}
	return out
}

// Relation describes the neighbor relation: "bits", "rows" or "edges" with the largest number, or "patterns" with
// the bits of each.
func (nb Neighbors) Relation() (kind string, most int, patterns [][]int) {
	switch nb.kind {
	case anyBits:
		return "bits", nb.times, nil
	case wholeRows:
		return "rows", nb.times, nil
	case edges:
		return "edges", nb.times, nil
	}
	for _, m := range nb.patterns {
		patterns = append(patterns, m.numbers())
	}
	return "patterns", 0, patterns
}

// Block is an association Λ_ij of two objects.
type Block struct {
	I, J   int
	Lambda [][]*big.Rat
}

// Written is a law with its exact parameters, as a certificate states them.
type Written struct {
	N, P    int
	Uniform bool // Θ = θI and every Λ_ij = λI, given by Theta[0][0] and Lambda
	Theta   [][]*big.Rat
	Lambda  *big.Rat
	Blocks  []Block // the associations that are present, ascending
}

// Written returns a law for which every certified number of b holds. Its parameters are b's float64s, or their
// shortest decimals if b is from [Bernoulli.ForDecimals] and nothing else was rounded.
func (b *Bernoulli) Written() Written {
	exact := func(v float64) *big.Rat {
		if b.reading == (reading{decimals: true}) {
			return interval.Decimal(v)
		}
		return new(big.Rat).SetFloat64(v)
	}
	if c := b.cols; c != nil {
		return Written{N: b.n, P: b.p, Uniform: true, Theta: [][]*big.Rat{{exact(c.theta)}}, Lambda: exact(c.lambda)}
	}
	square := func(flat []float64) [][]*big.Rat {
		rows := make([][]*big.Rat, b.p)
		for k, v := range flat {
			rows[k/b.p] = append(rows[k/b.p], exact(v))
		}
		return rows
	}
	out := Written{N: b.n, P: b.p, Theta: square(b.theta)}
	pairs := make([]Pair, 0, len(b.lam))
	for pair := range b.lam {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(x, y Pair) int {
		if x.I != y.I {
			return x.I - y.I
		}
		return x.J - y.J
	})
	for _, pair := range pairs {
		out.Blocks = append(out.Blocks, Block{pair.I, pair.J, square(b.lam[pair])})
	}
	return out
}

// Parts returns the number of bits of each independent part of a law. Copies of a part are listed once.
func (b *Bernoulli) Parts() []int {
	parts, err := b.components(context.Background())
	if err != nil {
		return []int{b.Dim()}
	}
	return lists.Of(len(parts), func(i int) int { return len(parts[i].bits) })
}
