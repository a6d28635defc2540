package certificate

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// adder counts the numbers that a checker adds up for a smallest ε, going where it goes: it flips bits in order, each both ways, and
// at each adds up what the bit is coupled with.
type adder struct {
	n, p    int
	coupled [][]int // of each bit
	alone   []bool  // objects without a partner, of which the first stands for all
	added   float64
}

func newAdder(w xor.Written) *adder {
	a := &adder{n: w.N, p: w.P, coupled: make([][]int, w.N*w.P), alone: make([]bool, w.N)}
	for i := range a.alone {
		a.alone[i] = true
	}
	if w.Uniform {
		for k := range a.coupled {
			for i := range w.N {
				if other := i*w.P + k%w.P; other != k && w.Lambda.Sign() != 0 {
					a.coupled[k] = append(a.coupled[k], other)
				}
			}
			a.alone[k/w.P] = a.alone[k/w.P] && w.Lambda.Sign() == 0
		}
		return a
	}
	join := func(i, j int, block [][]*big.Rat) {
		for r, row := range block {
			for c, v := range row {
				if v.Sign() != 0 && (i != j || r != c) {
					a.coupled[i*w.P+r] = append(a.coupled[i*w.P+r], j*w.P+c)
				}
			}
		}
	}
	for i := range w.N {
		join(i, i, w.Theta)
	}
	for _, b := range w.Blocks {
		join(b.I, b.J, b.Lambda)
		join(b.J, b.I, b.Lambda)
		a.alone[b.I], a.alone[b.J] = false, false
	}
	return a
}

// parts returns the independent parts that differ, and how many copies there are of each.
func (a *adder) parts() (parts [][]int, copies []int) {
	lone := 0
	for _, yes := range a.alone {
		if yes {
			lone++
		}
	}
	seen, first := make([]bool, a.n*a.p), true
	for i := range a.n {
		count := 1
		if a.alone[i] {
			if !first {
				continue
			}
			first, count = false, lone
		}
		for k := i * a.p; k < (i+1)*a.p; k++ {
			if seen[k] {
				continue
			}
			seen[k] = true
			part := []int{k}
			for at := 0; at < len(part); at++ {
				for _, other := range a.coupled[part[at]] {
					if !seen[other] {
						seen[other] = true
						part = append(part, other)
					}
				}
			}
			parts, copies = append(parts, part), append(copies, count)
		}
	}
	return parts, copies
}

// upTo flips at most so many of some bits.
func (a *adder) upTo(among []int, most int) {
	if most == 0 {
		return
	}
	for i, k := range among {
		for range 2 {
			a.added += float64(2 + len(a.coupled[k]))
			a.upTo(among[i+1:], most-1)
		}
	}
}

// flip flips all of some bits, part by part, and then adds up what those beside them are coupled by.
func (a *adder) flip(bits []int) {
	for _, part := range a.split(bits) {
		in, near := map[int]bool{}, map[int]bool{}
		for _, k := range part {
			in[k] = true
		}
		for _, k := range part {
			for _, other := range a.coupled[k] {
				if !in[other] {
					near[other] = true
				}
			}
		}
		ways := 1.0
		for _, k := range part {
			ways *= 2
			a.added += 1 + ways*float64(1+len(a.coupled[k]))
		}
		a.added += ways * float64(1+len(near))
	}
}

// split sorts bits by the parts that they lie in.
func (a *adder) split(bits []int) [][]int {
	in := map[int]bool{}
	for _, k := range bits {
		in[k] = true
	}
	var out [][]int
	for _, k := range bits {
		if !in[k] {
			continue
		}
		seen, reached := map[int]bool{k: true}, []int{k}
		for at := 0; at < len(reached); at++ {
			for _, other := range a.coupled[reached[at]] {
				if !seen[other] {
					seen[other] = true
					reached = append(reached, other)
				}
			}
		}
		var part []int
		for _, other := range reached {
			if in[other] {
				part, in[other] = append(part, other), false
			}
		}
		out = append(out, part)
	}
	return out
}

// count returns how many numbers are added for a relation.
func (a *adder) count(kind string, most int, patterns [][]int) float64 {
	switch kind {
	case "bits":
		parts, copies := a.parts()
		length := 1 // of the table of what 0, 1, … bits lose in all
		for i, part := range parts {
			a.upTo(part, most)
			losses := min(len(part), most) + 1
			for range min(copies[i], most) { // each copy shares the bits with those before
				a.added += float64(min(length+losses, most) * losses)
				length = min(length+losses-1, most+1)
			}
		}
		return a.added
	case "rows":
		if most == 1 {
			parts, _ := a.parts()
			for _, part := range parts {
				rows := map[int][]int{}
				for _, k := range part {
					rows[k/a.p] = append(rows[k/a.p], k)
				}
				for _, row := range rows {
					a.upTo(row, len(row))
				}
			}
			return a.added
		}
	case "edges":
		if most == 1 {
			for i := range a.n {
				for j := range i {
					a.flip([]int{i*a.p + j, j*a.p + i})
				}
			}
			return a.added
		}
	case "patterns":
		for _, p := range patterns {
			a.flip(p)
		}
		return a.added
	}
	for set := range 1 << (a.n * a.p) { // every difference that several rows or edges make
		rows, pairs, symmetric := 0, 0, true
		var bits []int
		for k := range a.n * a.p {
			if set>>k&1 == 1 {
				bits = append(bits, k)
			}
		}
		for i := range a.n {
			if set>>(i*a.p)&(1<<a.p-1) != 0 {
				rows++
			}
			for j := range i + 1 {
				if kind != "edges" {
					continue
				}
				one, other := set>>(i*a.p+j)&1, set>>(j*a.p+i)&1
				symmetric = symmetric && one == other && (i != j || one == 0)
				pairs += one
			}
		}
		if kind == "rows" && rows <= most || kind == "edges" && symmetric && pairs <= most {
			a.flip(bits)
		}
	}
	return a.added
}

// The numbers that a checker is estimated to add up are as many as it adds, counted one by one, but for a factor: at most 3 times as
// many are added, so that what is allowed here is allowed there, and at least a tenth where as much is coupled as may be.
func TestLossWork(t *testing.T) {
	s := some{t: t}
	full := func(p int) [][]float64 {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for j := range m[i] {
				m[i][j] = 0.25
			}
		}
		return m
	}
	law := func(n int, theta [][]float64, joined ...xor.Pair) *xor.Bernoulli {
		lambda := map[xor.Pair][][]float64{}
		for _, pair := range joined {
			lambda[pair] = full(len(theta))
		}
		b, err := xor.NewBernoulli(theta, lambda, n)
		s.fail(err)
		return b
	}
	uniform := func(n, p int, lambda float64) *xor.Bernoulli {
		b, err := xor.NewUniform(n, p, -1, lambda)
		s.fail(err)
		return b
	}
	pattern := func(b *xor.Bernoulli, bits ...int) *xor.Bits {
		n, p := b.Shape()
		m, err := xor.NewBits(n, p)
		s.fail(err)
		for _, k := range bits {
			m.Set(k/p, k%p, true)
		}
		return m
	}
	single := [][]float64{{1, 0}, {0, 2}}                   // parts of 1 bit, not alike
	two := [][]float64{{1, 0, 0}, {0, 1, 0.5}, {0, 0.5, 1}} // of 1 and of 2 bits
	alone, wide, pair, triple := law(1000, single), law(1, full(9)), law(2, full(4), xor.Pair{I: 0, J: 1}), law(3, full(3), xor.Pair{I: 0, J: 1}, xor.Pair{I: 0, J: 2}, xor.Pair{I: 1, J: 2})
	some, square, one := law(40, two), law(4, full(4), xor.Pair{I: 0, J: 1}, xor.Pair{I: 0, J: 2}, xor.Pair{I: 0, J: 3}, xor.Pair{I: 1, J: 2}, xor.Pair{I: 1, J: 3}, xor.Pair{I: 2, J: 3}), law(3, single)
	small := law(2, full(2), xor.Pair{I: 0, J: 1})
	for _, c := range []struct {
		name  string
		of    *xor.Bernoulli
		nb    xor.Neighbors
		loose bool // less is coupled than may be
	}{
		{"2 × 1000 bits alone, 1", alone, xor.FlipBits(1), false},
		{"2 × 1000 bits alone, 50", alone, xor.FlipBits(50), false},
		{"2 × 1000 bits alone, 1000", alone, xor.FlipBits(1000), false},
		{"2 × 3 bits alone, 30", one, xor.FlipBits(30), false},
		{"9 bits, 1", wide, xor.FlipBits(1), false},
		{"9 bits, 4", wide, xor.FlipBits(4), false},
		{"9 bits, 9", wide, xor.FlipBits(9), false},
		{"9 bits, 12", wide, xor.FlipBits(12), false},
		{"parts of 40 objects, 3", some, xor.FlipBits(3), false},
		{"9 bits, a row", wide, xor.FlipRows(1), false},
		{"2 × 4 bits, a row", pair, xor.FlipRows(1), false},
		{"3 × 3 bits, a row", triple, xor.FlipRows(1), false},
		{"2 × 1000 bits alone, a row", alone, xor.FlipRows(1), false},
		{"parts of 40 objects, a row", some, xor.FlipRows(1), false},
		{"4 × 4 bits, an edge", square, xor.FlipEdges(1), false},
		{"2 × 2 bits, an edge", small, xor.FlipEdges(1), false},
		{"9 bits, patterns", wide, xor.FlipPatterns(pattern(wide, 0, 3, 4), pattern(wide, 1), pattern(wide, 0, 1, 2, 3, 4, 5, 6, 7, 8)), false},
		{"parts of 40 objects, patterns", some, xor.FlipPatterns(pattern(some, 1, 2), pattern(some, 4, 5)), false},
		{"2 × 4 bits, two rows", pair, xor.FlipRows(2), false},
		{"3 × 3 bits, two rows", triple, xor.FlipRows(2), false},
		{"3 × 3 bits, three edges", triple, xor.FlipEdges(3), true},
		{"alike, two edges", uniform(3, 3, 0.5), xor.FlipEdges(2), true},
	} {
		kind, most, patterns := c.nb.Relation()
		w := c.of.Written()
		estimate, added := lossWork(c.of, w, kind, most, patterns), newAdder(w).count(kind, most, patterns)
		if !(added <= 3*estimate) || !c.loose && !(estimate <= 10*added) {
			t.Errorf("%s: %g numbers are added, and estimated to be %g", c.name, added, estimate)
		}
	}
	// Of alike columns the loss of t bits of one column is found by a formula, for each t up to the most that a column has.
	for _, n := range []int{1, 7, 40} {
		for _, most := range []int{1, 6, 7, 8, 1000} {
			heights := 0.0
			for t := 1; t <= most && t <= n; t++ {
				heights++
			}
			b := uniform(n, n, 0.01)
			for kind, want := range map[string]float64{"bits": 8 * heights, "rows": heights, "patterns": 0} {
				if got := lossWork(b, b.Written(), kind, most, [][]int{{0}}); got != want {
					t.Errorf("%d × %d bits alike, %d %s: %g numbers, want %g", n, n, most, kind, got, want)
				}
			}
		}
	}
}

// A smallest ε is written up to 2^24 numbers and refused beyond: also where there are more than any number says.
func TestWorkThatIsAllowed(t *testing.T) {
	s := some{t: t}
	diagonal := func(p int, joined bool) *xor.Bernoulli {
		theta := make([][]float64, p)
		for i := range theta {
			theta[i] = make([]float64, p)
			if joined && i > 0 {
				theta[i][i-1], theta[i-1][i] = 0.5, 0.5
			}
		}
		b, err := xor.NewBernoulli(theta, nil, 1)
		s.fail(err)
		return b
	}
	columns := func(n, p int) *xor.Bernoulli {
		b, err := xor.NewUniform(n, p, -1, 0.001)
		s.fail(err)
		return b
	}
	rows := func(n, p int) *xor.Bernoulli { // of bits that are not alike, alone but where there is one a row
		theta, lambda := make([][]float64, p), map[xor.Pair][][]float64{}
		for i := range theta {
			theta[i] = make([]float64, p)
			theta[i][i] = float64(i + 1)
		}
		if p == 1 {
			lambda[xor.Pair{I: 0, J: 1}] = [][]float64{{0.5}}
		}
		b, err := xor.NewBernoulli(theta, lambda, n)
		s.fail(err)
		return b
	}
	long := diagonal(100, true)
	for _, length := range []int{61, 62, 63, 70, 100} {
		bits := make([]int, length)
		for i := range bits {
			bits[i] = i
		}
		if got := lossWork(long, long.Written(), "patterns", 0, [][]int{bits}); !(got >= 0x1p62 && got <= 0x1p70) {
			t.Errorf("a pattern of %d bits: %g numbers, want 2^62 or more", length, got)
		}
	}
	for _, c := range []struct {
		of      *xor.Bernoulli
		nb      xor.Neighbors
		allowed bool
	}{
		{columns(1<<22, 2), xor.FlipBits(1 << 21), true},
		{columns(1<<22, 2), xor.FlipBits(1<<21 + 1), false},
		{columns(1<<24, 2), xor.FlipRows(1 << 24), true},
		{columns(1<<25, 2), xor.FlipRows(1<<24 + 1), false},
		{rows(2, 7), xor.FlipRows(2), true},   // 3^14 − 1 differences, of parts of one bit
		{rows(2, 8), xor.FlipRows(2), false},  // 3^16 − 1
		{rows(1, 17), xor.FlipRows(2), false}, // 17 bits are not listed
		{rows(17, 1), xor.FlipRows(2), false},
		{rows(5, 4), xor.FlipRows(2), false},
		{columns(5, 5), xor.FlipEdges(2), false},
	} {
		_, _, err := bitsEpsilon(&xor.LossStatement{Of: c.of, Neighbors: c.nb})(context.Background(), evidence.Certified{Lo: 1, Hi: 2})
		if c.allowed && err != nil {
			t.Errorf("%v: %v", fmt.Sprint(c.of.Shape()), err)
		} else if !c.allowed {
			refuses(t, err, "a checker would add")
		}
	}
}
