package sampling

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// countingSource is a source that returns the given words first, and counts all words that it returns.
type countingSource struct {
	first []uint64
	rand.Source
	words int
}

func (c *countingSource) Uint64() uint64 {
	c.words++
	if len(c.first) > 0 {
		w := c.first[0]
		c.first = c.first[1:]
		return w
	}
	return c.Source.Uint64()
}

// A number drawn word by word is below n/m if its first differing word in base 2^64 is below that of n/m. It is not
// below if that word is larger, or if all remaining words of n/m are 0.
func TestBelowByDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 10))
	base := new(big.Int).Lsh(one, 64)
	equal := 0
	for range 4000 {
		m := rng.Uint64()>>rng.IntN(64) | 1
		n := rng.Uint64() % m
		if m == 1 {
			continue
		}
		left, whole := new(big.Int).SetUint64(n), new(big.Int).SetUint64(m)
		digit := func() uint64 {
			d := new(big.Int)
			d.QuoRem(left.Mul(left, base), whole, left)
			return d.Uint64()
		}
		src := &countingSource{Source: rand.NewPCG(3, rng.Uint64())}
		for range rng.IntN(3) {
			src.first = append(src.first, digit())
			equal++
		}
		over, d := false, digit()
		switch rng.IntN(3) {
		case 0:
			src.first = append(src.first, d-1)
			over = d == 0 // d − 1 wraps to the largest word
		case 1:
			src.first = append(src.first, d+1)
			over = d != ^uint64(0)
		default:
			w := rng.Uint64()
			if w == d {
				continue
			}
			src.first = append(src.first, w)
			over = w > d
		}
		if got := below(n, m, src); got == over {
			t.Fatalf("%d/%d against digits before %v, left %v: below is %t", n, m, d, left, got)
		}
	}
	if equal < 1000 {
		t.Errorf("only %d words equal those of the quotient", equal)
	}
}

// If n/m has a single word in base 2^64, the first word decides.
func TestBelowSingleWord(t *testing.T) {
	for k := range 5 {
		m := uint64(1) << k
		for n := range m {
			for j := range m {
				for _, c := range []struct {
					word uint64
					want bool
				}{{j << (64 - k), j < n}, {(j+1)<<(64-k) - 1, j < n}} {
					src := &countingSource{first: []uint64{c.word}, Source: rand.NewPCG(1, 2)}
					if got := below(n, m, src); got != c.want || src.words != 1 {
						t.Errorf("%x·2^−64 below %d/%d: %t after %d words", c.word, n, m, got, src.words)
					}
				}
			}
		}
	}
}

// bigSeries draws numbers below d, 2d, 3d, …, and returns whether the first number that is at least n has an odd index.
// That has probability e^{−n/d}.
func TestBigSeriesByNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for d := uint64(2); d < 7; d++ { // a number below 1 needs no word
		for n := range d + 1 {
			for range 40 {
				src, want := &countingSource{Source: rand.NewPCG(1, 2)}, false
				for k := uint64(1); ; k++ {
					v := rng.Uint64N(d * k)
					if rng.IntN(2) == 0 {
						v = min(n, d*k-1) // the boundary
					}
					src.first = append(src.first, v)
					if want = k&1 == 1; v >= n {
						break
					}
				}
				reads := len(src.first)
				if got := bigSeries(new(big.Int).SetUint64(n), new(big.Int).SetUint64(d), 1, src); got != want || src.words != reads {
					t.Fatalf("n/d = %d/%d: %t after %d words, want %t after %d", n, d, got, src.words, want, reads)
				}
			}
		}
	}
}

// Fractions are ordered by the first word in which they differ.
func TestFractionsByWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 77))
	for range 200 {
		f, g := fraction{first: 4, more: make([]uint64, 5)}, fraction{first: 4, more: make([]uint64, 5)}
		at := rng.IntN(6)
		for i := range 5 {
			f.more[i] = rng.Uint64()
			g.more[i] = f.more[i]
			if i >= at {
				g.more[i] = rng.Uint64()
			}
		}
		want := at < 5 && f.more[at] < g.more[at]
		src := &countingSource{first: []uint64{1, 2}, Source: rand.NewPCG(1, 2)} // used if all words agree
		if at == 5 {
			want = true
		}
		if got := f.below(&g, src); got != want || g.below(&f, src) == want {
			t.Fatalf("%v below %v: %t", f, g, got)
		}
	}
}

// In rootE, a first word of at least 1/2 decides alone.
func TestRootEWords(t *testing.T) {
	for word, want := range map[uint64]bool{1 << 63: true, 1<<63 + 5: true, ^uint64(0): true} {
		src := &countingSource{first: []uint64{word, 0, 1 << 62}, Source: rand.NewPCG(1, 2)}
		if got := rootE(src); got != want || src.words != 1 {
			t.Errorf("%x: %t after %d words", word, got, src.words)
		}
	}
	// After a word below 1/2, the result depends on whether the following run of decreasing numbers has odd or even
	// length.
	for want, follow := range map[bool][]uint64{false: {1 << 63}, true: {1 << 61, 1 << 62}} {
		src := &countingSource{first: append([]uint64{1<<63 - 1}, follow...), Source: rand.NewPCG(1, 2)}
		if got := rootE(src); got != want || src.words != 1+len(follow) {
			t.Errorf("%x: %t after %d words", follow, got, src.words)
		}
	}
}

// Used words from the system are cleared from memory, and every word is used.
func TestUsedWordsAreCleared(t *testing.T) {
	s := new(System)
	for i := range len(s.buffer) / 8 {
		s.Uint64()
		for at, b := range s.buffer[:8*i+8] {
			if b != 0 {
				t.Fatalf("after %d words byte %d is %d", i+1, at, b)
			}
		}
	}
}

// Outcomes of weight 0 are never drawn, for any words. If a threshold ends with a word, that word decides.
func TestWordsAtThresholds(t *testing.T) {
	all := ^uint64(0)
	for _, c := range []struct {
		weights []int64
		word    uint64
		want    int
		reads   int
	}{
		{[]int64{1, 0}, 0, 0, 1}, {[]int64{1, 0}, all - 1, 0, 1}, {[]int64{1, 0}, all, 0, 2}, {[]int64{1, 0, 0}, all, 0, 2}, {[]int64{0, 1}, 0, 1, 1}, {[]int64{0, 1, 0}, all, 1, 2},
		{[]int64{1, 1}, 1<<63 - 1, 0, 1}, {[]int64{1, 1}, 1 << 63, 1, 1}, {[]int64{1, 1, 2}, 1<<62 - 1, 0, 1}, {[]int64{1, 1, 2}, 1 << 62, 1, 1}, {[]int64{1, 1, 2}, 1 << 63, 2, 1},
	} {
		numbers := make([]Number, len(c.weights))
		for i, w := range c.weights {
			numbers[i] = Int(w)
		}
		law, err := NewLaw(numbers...)
		if err != nil {
			t.Fatal(err)
		}
		src := &countingSource{first: []uint64{c.word, all, all, all}, Source: rand.NewPCG(1, 2)}
		if got, err := law.Draw(src); got != c.want || err != nil || src.words != c.reads {
			t.Errorf("weights %v at %x: outcome %d after %d words (%v), want %d after %d", c.weights, c.word, got, src.words, err, c.want, c.reads)
		}
	}
}
