package certificate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/bits"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

type statedBits struct {
	Kind string
	Law  struct {
		Objects, Features int
		Theta, Lambda     json.RawMessage
	}
	Neighbors struct {
		Bits, Rows, Edges int
		Patterns          [][]int
	}
	Count, Per string
	Is         statedNumber
}

// fewBits are those whose states are all visited here, from the definition.
const fewBits = 12

func bitsHold(s statedBits) error {
	if s.Law.Objects*s.Law.Features <= fewBits {
		return s.visited()
	}
	return s.computed()
}

// visited computes the number from the exponents of all states, and for an ε of all states and patterns.
func (s statedBits) visited() error {
	n := s.Law.Objects * s.Law.Features
	pi, scale := s.pi()
	exponents := []*big.Int{new(big.Int)} // times scale
	for b := 1; b < 1<<n; b++ {
		k := bits.Len(uint(b)) - 1
		e := new(big.Int).Set(pi[k][k])
		for i := range k {
			if b>>i&1 == 1 {
				e.Add(e, pi[k][i]).Add(e, pi[i][k])
			}
		}
		exponents = append(exponents, e.Add(e, exponents[b^1<<k]))
	}
	if s.Kind == "bits epsilon" {
		worst, apart := new(big.Int), new(big.Int)
		for pattern := range s.patterns() {
			for b, e := range exponents {
				if apart.Sub(e, exponents[b^pattern]).CmpAbs(worst) > 0 {
					worst.Abs(apart)
				}
			}
		}
		return s.Is.allows(evidence.Exact{Value: new(big.Rat).SetFrac(worst, scale)})
	}
	total, counted := interval.Int(0), interval.Int(0)
	for b, e := range exponents {
		count := int64(0)
		for k := range n {
			if (b>>k&1 == 1) == (s.Count == "ones") {
				count++
			}
		}
		weight := interval.Rat(new(big.Rat).SetFrac(e, scale)).Exp()
		total, counted = total.Add(weight), counted.Add(weight.Mul(interval.Int(count)))
	}
	if s.Kind == "bits normalizer" {
		return s.Is.meets(total.Log())
	}
	return s.Is.meets(counted.Quo(total).Quo(interval.Rat(rat(s.Per))))
}

// patterns are all that neighbors differ in, as sets of bits.
func (s statedBits) patterns() map[int]bool {
	n, p := s.Law.Objects, s.Law.Features
	var pieces []int
	most := max(s.Neighbors.Bits, s.Neighbors.Rows, s.Neighbors.Edges)
	switch {
	case s.Neighbors.Bits > 0:
		for k := range n * p {
			pieces = append(pieces, 1<<k)
		}
	case s.Neighbors.Rows > 0:
		for i := range n {
			for row := range 1 << p {
				pieces = append(pieces, row<<(i*p))
			}
		}
	case s.Neighbors.Edges > 0:
		for i := range n {
			for j := range i {
				pieces = append(pieces, 1<<(i*p+j)|1<<(j*p+i))
			}
		}
	default:
		most = 1
		for _, bits := range s.Neighbors.Patterns {
			pattern := 0
			for _, k := range bits {
				pattern |= 1 << k
			}
			pieces = append(pieces, pattern)
		}
	}
	out := map[int]bool{0: true}
	for range min(most, n*p) {
		var more []int
		for pattern := range out {
			for _, piece := range pieces {
				more = append(more, pattern^piece)
			}
		}
		for _, pattern := range more {
			out[pattern] = true
		}
	}
	return out
}

type block struct {
	i, j    int
	entries [][]*big.Rat
}

// blocks reads Θ and the Λ_ij; uniform says that it is two numbers.
func (s statedBits) blocks() (theta [][]*big.Rat, lambda []block, uniform bool) {
	var text string
	if json.Unmarshal(s.Law.Theta, &text) == nil {
		var other string
		must.Be(0, json.Unmarshal(s.Law.Lambda, &other))
		return [][]*big.Rat{{rat(text)}}, []block{{entries: [][]*big.Rat{{rat(other)}}}}, true
	}
	matrix := func(text []byte) (out [][]*big.Rat) {
		var rows [][]string
		must.Be(0, json.Unmarshal(text, &rows))
		for _, row := range rows {
			out = append(out, rats(row))
		}
		return out
	}
	var given [][3]json.RawMessage
	must.Be(0, json.Unmarshal(s.Law.Lambda, &given))
	for _, g := range given {
		var b block
		must.Be(0, json.Unmarshal(g[0], &b.i))
		must.Be(0, json.Unmarshal(g[1], &b.j))
		b.entries = matrix(g[2])
		lambda = append(lambda, b)
	}
	return matrix(s.Law.Theta), lambda, false
}

// pi returns the matrix Π in whole numbers, times a scale.
func (s statedBits) pi() (whole [][]*big.Int, scale *big.Int) {
	n, p := s.Law.Objects, s.Law.Features
	theta, lambda, uniform := s.blocks()
	out := make([][]*big.Rat, n*p)
	for a := range out {
		for b := range n * p {
			q := new(big.Rat)
			switch same := a/p == b/p; {
			case uniform && same && a == b:
				q = theta[0][0]
			case uniform && !same && a%p == b%p:
				q = lambda[0].entries[0][0]
			case !uniform && same:
				q = theta[a%p][b%p]
			}
			out[a] = append(out[a], q)
		}
	}
	if !uniform {
		for _, b := range lambda {
			for a := range p {
				for c := range p {
					out[b.i*p+a][b.j*p+c] = b.entries[a][c]
					out[b.j*p+c][b.i*p+a] = b.entries[a][c]
				}
			}
		}
	}
	return wholeRows(out)
}

// computed asks the workbench's own law, whose numbers are float64s or their decimals.
func (s statedBits) computed() error {
	ctx := context.Background()
	theta, lambda, uniform := s.blocks()
	var all []*big.Rat
	for _, row := range theta {
		all = append(all, row...)
	}
	for _, b := range lambda {
		for _, row := range b.entries {
			all = append(all, row...)
		}
	}
	values, decimals, exact := exactFloats(all)
	size, rest := 0.0, values
	matrix := func() [][]float64 {
		out := make([][]float64, len(theta))
		for i := range out {
			out[i], rest = rest[:len(theta)], rest[len(theta):]
		}
		return out
	}
	var law *xor.Bernoulli
	if uniform {
		law = must.Be(xor.NewUniform(s.Law.Objects, s.Law.Features, values[0], values[1]))
	} else {
		first, others := matrix(), make(map[xor.Pair][][]float64)
		for _, b := range lambda {
			others[xor.Pair{I: b.i, J: b.j}] = matrix()
		}
		law = must.Be(xor.NewBernoulli(first, others, s.Law.Objects))
	}
	if decimals {
		law = law.ForDecimals()
	}
	if !exact { // each entry is off by 2^-53 of itself, in at most so many places
		for _, v := range values {
			size += max(v, -v) * float64(s.Law.Objects) * float64(s.Law.Objects) * float64(s.Law.Features)
		}
	}
	off := interval.Between(-1e-15*size, 1e-15*size)
	switch s.Kind {
	case "bits epsilon":
		u := must.Be(law.Under(s.relation(), xor.LossOptions{}))
		return s.Is.meets(evidence.Enclosure(must.Be(u.Loss(ctx)).Certified).Add(off))
	case "bits normalizer":
		return s.Is.meets(evidence.Enclosure(must.Be(law.LogNormalizer(ctx))).Add(off))
	}
	mean := evidence.Enclosure(must.Be(law.MeanOnes(ctx, xor.Variant(s.Count == "zeros"))))
	if size > 0 {
		mean = mean.Mul(off.Add(off).Exp())
	}
	return s.Is.meets(mean.Quo(interval.Rat(rat(s.Per))))
}

func (s statedBits) relation() xor.Neighbors {
	n, p := s.Law.Objects, s.Law.Features
	switch {
	case s.Neighbors.Bits > 0:
		return xor.FlipBits(s.Neighbors.Bits)
	case s.Neighbors.Rows > 0:
		return xor.FlipRows(s.Neighbors.Rows)
	case s.Neighbors.Edges > 0:
		return xor.FlipEdges(s.Neighbors.Edges)
	case s.Neighbors.Patterns == nil:
		panic(failed{fmt.Errorf("there are no neighbors")})
	}
	var patterns []*xor.Bits
	for _, bits := range s.Neighbors.Patterns {
		pattern := must.Be(xor.NewBits(n, p))
		for _, k := range bits {
			pattern.Set(k/p, k%p, true)
		}
		patterns = append(patterns, pattern)
	}
	return xor.FlipPatterns(patterns...)
}
