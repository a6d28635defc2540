package draw_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/stattest"
)

// laws are weights from uniform to extreme, with some zeros.
var laws = map[string][]float64{
	"one":              {3},
	"even":             {1, 1, 1, 1},
	"zeros":            {0, 0, 2, 0, 1, 0},
	"no powers of two": {0.1, 0.2, 0.3, 0.7, 1e-3},
	"geometric":        geometric(40),
	"tiny scale":       {3e-300, 1e-300, 5e-300},
	"large scale":      {3e307, 1e307, 5e307},
	"very different":   {1, 1e-12, 1e-17, 1},
	"trailing zeros":   {1, 0, 0},
}

func geometric(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(-0.3 * float64(i))
	}
	return out
}

func law(weights []float64) (l draw.Law) {
	for _, w := range weights {
		l.Add(w)
	}
	return l
}

// below counts the k < 2⁵³ for which At(k·2⁻⁵³) is at most i, using that At is monotone.
func below(l draw.Law, i int) int64 {
	lo, hi := int64(0), int64(1)<<53
	for lo < hi {
		if mid := (lo + hi) / 2; l.At(float64(mid)/(1<<53)) > i {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// The law over all 2⁵³ words matches the rational law of the weights within the documented distance, and is exactly 0
// for weight 0.
func TestExactLaw(t *testing.T) {
	for name, weights := range laws {
		l := law(weights)
		total := new(big.Rat)
		for _, w := range weights {
			total.Add(total, new(big.Rat).SetFloat64(w))
		}
		distance, before := new(big.Rat), int64(0)
		for i, w := range weights {
			upTo := below(l, i)
			got := big.NewRat(upTo-before, 1<<53)
			before = upTo
			if w == 0 && got.Sign() != 0 {
				t.Errorf("%s: outcome %d of weight 0 is drawn %s of the time", name, i, got)
			}
			want := new(big.Rat).SetFloat64(w)
			distance.Add(distance, got.Sub(got, want.Quo(want, total)).Abs(got))
		}
		if before != 1<<53 {
			t.Errorf("%s: %d words draw no outcome", name, 1<<53-before)
		}
		distance.Quo(distance, big.NewRat(2, 1))
		if bound := big.NewRat(int64(len(weights)), 1<<51); distance.Cmp(bound) > 0 {
			t.Errorf("%s: the law differs by %s, want at most %s", name, distance.FloatString(20), bound.FloatString(20))
		}
	}
}

// Draws have the exact probabilities, with a false-positive rate of 1e-9 per law. A law with two neighboring outcomes
// exchanged fails.
func TestDraws(t *testing.T) {
	const n, alpha = 1 << 18, 1e-9
	for name, weights := range laws {
		l, r := law(weights), rand.New(draw.Source(3, 7))
		p, counts := make([]float64, len(weights)), make([]int, len(weights))
		for i, w := range weights {
			p[i] = w / l[len(l)-1]
		}
		for range n {
			counts[l.Draw(r)]++
		}
		if name == "one" || name == "trailing zeros" {
			if counts[0] != n {
				t.Errorf("%s: the counts are %v", name, counts)
			}
			continue
		}
		if _, _, tail := stattest.ChiSquare(counts, p); tail < alpha {
			t.Errorf("%s: the counts %v have tail %g", name, counts, tail)
		}
		if name == "no powers of two" {
			p[1], p[2] = p[2], p[1]
			if _, _, tail := stattest.ChiSquare(counts, p); tail > alpha {
				t.Errorf("%s: two outcomes exchanged pass, with tail %g", name, tail)
			}
		}
	}
}

// The streams of a seed never change.
func TestSource(t *testing.T) {
	const first = 0xc4f5a58656eef510 // PCG at (1, 2), from pcg_test.go of math/rand/v2
	if got := draw.Source(1, 2).Uint64(); got != first {
		t.Errorf("stream 2 of seed 1 begins with %#x, want %#x", got, uint64(first))
	}
	if a, b := draw.Source(1, 2).Uint64(), draw.Source(2, 1).Uint64(); a == b {
		t.Error("seed and stream are exchanged")
	}
	src := draw.Source(1, 2)
	key := draw.NewKey(src)
	same := draw.Source(1, 2)
	for i := range 4 {
		if got, want := binary.LittleEndian.Uint64(key[8*i:]), same.Uint64(); got != want {
			t.Errorf("word %d of the key is %#x, want %#x", i, got, want)
		}
	}
	if src.Uint64() != same.Uint64() {
		t.Error("Key does not take four words")
	}
	if a, b := key.Source(), rand.NewChaCha8(key); a.Uint64() != b.Uint64() {
		t.Error("the stream of a key is not that of ChaCha8")
	}
}

// Both indices of a part determine its key, and keys never change.
func TestPart(t *testing.T) {
	key := draw.NewKey(draw.Source(1, 2))
	seen := map[draw.Key]bool{key: true}
	for i := range uint64(16) {
		for j := range uint64(16) {
			seen[key.Part(i, j)] = true
			seen[draw.NewKey(draw.Source(2, 2)).Part(i, j)] = true
		}
	}
	if len(seen) != 1+2*16*16 {
		t.Errorf("%d keys, want all to differ", len(seen))
	}
	// printf 'part of a key\0\0\0', 32 zeros, then 1 and 2 as 8 bytes each, through sha256sum
	const first = 0x917eaf87a42ef001
	part := draw.Key{}.Part(1, 2)
	if got := binary.BigEndian.Uint64(part[:]); got != first {
		t.Errorf("part (1, 2) of zeros begins with %#x, want %#x", got, uint64(first))
	}
}
