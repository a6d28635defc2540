package xor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Uniform integers are drawn without bias, by the words that they are said to be: a low
// half below 2³² mod n is left out.
func TestBelowRejects(t *testing.T) {
	const n, reject = 3, 1 // 2³² mod 3
	for _, c := range []struct {
		words []uint32
		want  uint32
	}{{[]uint32{0, 1 << 30}, 0}, {[]uint32{0x55555556, 0}, 1}, {[]uint32{math.MaxUint32, 0}, 2}, {[]uint32{0xaaaaaaab, 0}, 2}, {[]uint32{0x55555555, 0}, 0}} {
		b := below{src: pairSource(uint64(c.words[1])<<32 | uint64(c.words[0]))}
		if got := b.draw(n, reject); got != c.want {
			t.Errorf("%x draws %d, want %d", c.words, got, c.want)
		}
	}
	// Where the low half of word·n is reject itself the word is kept: 3·0xaaaaaaab = 2·2³² + 1.
	b := below{src: pairSource(uint64(7)<<32 | 0xaaaaaaab)}
	if got, next := b.draw(n, reject), b.word(); got != 2 || next != 7 {
		t.Errorf("the word at the edge draws %d, and %d is next", got, next)
	}
}

// pairSource is a source of one word.
type pairSource uint64

func (s pairSource) Uint64() uint64 { return uint64(s) }

// Sums of vectors of any size are those of their entries, rounded once each.
func TestVectorSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 95))
	for trial := range 200 {
		n := 1 + rng.IntN(9)
		a, b := vector{make([]float64, n), make([]int64, n)}, vector{make([]float64, n), make([]int64, n)}
		plain := vector{m: make([]float64, n)}
		total := rat(0)
		for i := range n {
			a.m[i], a.e[i] = mantissa(rng), int64(rng.IntN(160)-80)
			b.m[i], b.e[i] = mantissa(rng), a.e[i]+int64([]int{0, 1, 52, 53, 54, 59, 60, 61, -53, -59, -60, -61, 200, -200}[rng.IntN(14)])
			if rng.IntN(4) == 0 {
				b.m[i], b.e[i] = 0, 0
			}
			if rng.IntN(4) == 0 {
				a.m[i], a.e[i] = 0, 0
			}
			plain.m[i] = math.Ldexp(mantissa(rng), rng.IntN(20))
			total.Add(total, rat(plain.m[i]))
		}
		sum := vector{make([]float64, n), make([]int64, n)}
		sum.set(a)
		sum.add(b)
		all := rat(0)
		for i := range n {
			want := added(a.entry(i).value(), b.entry(i).value())
			got := sum.entry(i)
			if want.Sign() == 0 && got.m != 0 || want.Sign() > 0 && (off(got.value(), want) > 2*unit || got.m < .5 || got.m >= 1) {
				t.Fatalf("trial %d: %v + %v = %v", trial, a.entry(i), b.entry(i), got)
			}
			all.Add(all, got.value())
		}
		if got := sum.total(); all.Sign() == 0 && got.m != 0 || all.Sign() > 0 && off(got.value(), all) > unit*(1+1e-9) {
			t.Fatalf("trial %d: the total is %v, want %v", trial, got, all)
		}
		if got := plain.total(); off(got.value(), total) > float64(n)*unit || off(plain.entry(0).value(), rat(plain.m[0])) != 0 {
			t.Fatalf("trial %d: the plain total is %v, want %v", trial, got, total)
		}
		twice := vector{m: append([]float64(nil), plain.m...)}
		twice.add(plain)
		for i, v := range twice.m {
			if v != 2*plain.m[i] {
				t.Fatalf("trial %d: %v twice is %v", trial, plain.m[i], v)
			}
		}
	}
}

// What an observer can come to believe lies in its enclosure for every reading of the
// odds and of ε, near certainty too.
func TestEdgeLeakageHoldsEveryReading(t *testing.T) {
	one := interval.Int(1)
	for _, eps := range []float64{.1, 1, 40, 700, 1e5, 999999, 1e6, 1e9} {
		for _, odds := range []float64{1, .1, .25, 1e-9, 3, 7.7, 1e300, 5e-324} {
			got := must.Be(EdgeLeakage(must.Be(evidence.NewEpsilon("eps", eps)), odds))
			e := interval.Float(math.Min(eps, 1e6))
			for _, z := range []interval.Interval{interval.Float(odds), interval.Rat(interval.Decimal(odds))} {
				z = interval.Max(z, one.Quo(z))
				least, most := exact(one.Quo(one.Add(e.Neg().Exp().Quo(z))))
				if rat(got.Lo).Cmp(most) > 0 || rat(got.Hi).Cmp(least) < 0 && got.Hi < 1 || got.Hi > 1 || got.Hi-got.Lo > 1e-14 {
					t.Errorf("ε = %v, odds %v: [%v, %v], want %v inside", eps, odds, got.Lo, got.Hi, least.FloatString(20))
				}
			}
		}
	}
}

// Copies of what is free are counted and found where they are, whatever is coupled.
func TestCopiesOfFreeObjects(t *testing.T) {
	block := [][]float64{{.5, 0}, {0, .25}}
	b := must.Be(NewBernoulli([][]float64{{1, 0}, {0, 2}}, map[Pair][][]float64{{I: 1, J: 4}: block, {I: 4, J: 5}: block}, 8))
	for k, want := range []int{0, 2, 3, 6, 7} {
		if got := b.freeObject(k); got != want {
			t.Errorf("the free object %d is %d, want %d", k, got, want)
		}
	}
	parts := must.Be(b.components(t.Context()))
	part, seen := index(parts), map[int]string{}
	for i, c := range parts {
		for copy := range c.copies {
			for _, k := range c.bits {
				at := k + b.shift(c, copy)
				if seen[at] != "" {
					t.Errorf("bit %d is in %s and in part %d", at, seen[at], i)
				}
				seen[at] = fmt.Sprint("part ", i, ", copy ", copy)
				if gotPart, gotCopy := b.copyOf(at, part); gotPart != i || gotCopy != copy {
					t.Errorf("bit %d is in part %d, copy %d, want %s", at, gotPart, gotCopy, seen[at])
				}
			}
		}
	}
	if len(seen) != b.Dim() {
		t.Errorf("%d of %d bits are in parts", len(seen), b.Dim())
	}
	for _, u := range []*Bernoulli{must.Be(NewUniform(3, 4, 1, 0)), must.Be(NewUniform(3, 4, 1, .5))} {
		parts := must.Be(u.components(t.Context()))
		all := 0
		for _, c := range parts {
			all += len(c.bits) * c.copies
			for copy := range c.copies {
				at := c.bits[0] + u.shift(c, copy)
				if p, n := u.copyOf(at, index(parts)); p != 0 || n != copy {
					t.Errorf("bit %d is in part %d, copy %d, want %d", at, p, n, copy)
				}
			}
		}
		if all != 12 {
			t.Errorf("%d of 12 bits are in parts", all)
		}
	}
}
