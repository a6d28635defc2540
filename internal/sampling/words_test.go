package sampling

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// counted is a source that counts its words, and gives those that it is told to first.
type counted struct {
	first []uint64
	rand.Source
	words int
}

func (c *counted) Uint64() uint64 {
	c.words++
	if len(c.first) > 0 {
		w := c.first[0]
		c.first = c.first[1:]
		return w
	}
	return c.Source.Uint64()
}

// A draw reads one word as a rule: others only where that does not decide, and where it is the largest.
func TestDrawsReadOneWord(t *testing.T) {
	l, err := NewLaw(Int(1), Int(2), Int(3))
	if err != nil {
		t.Fatal(err)
	}
	src := &counted{Source: rand.NewPCG(1, 2)}
	for range 1000 {
		if _, err := l.Draw(src); err != nil {
			t.Fatal(err)
		}
	}
	if src.words > 1002 {
		t.Errorf("1000 draws read %d words", src.words)
	}
}

// A number that is drawn word by word is below n/m as soon as one of its words is below that of n/m in base 2^64, all before being
// the same; and is not where one is above, or nothing is left of n/m.
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
		src := &counted{Source: rand.NewPCG(3, rng.Uint64())}
		for range rng.IntN(3) {
			src.first = append(src.first, digit())
			equal++
		}
		over, d := false, digit()
		switch rng.IntN(3) {
		case 0:
			src.first = append(src.first, d-1)
			over = d == 0 // which then is the largest word
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
		t.Errorf("%d words are those of the quotient", equal)
	}
}

// A size bounds whatever lies between the ends.
func TestSizeOfWideNumbers(t *testing.T) {
	for _, ends := range [][2]int64{{7, 10}, {-10, -7}, {-10, 1}, {-1, 10}, {8, 8}, {0, 0}} {
		x := Number(func(int) (lo, hi *big.Int) { return big.NewInt(ends[0]), big.NewInt(ends[1]) })
		if n := x.size(); ends[1] > 1<<n || -ends[0] > 1<<n {
			t.Errorf("from %d to %d: at most 2^%d", ends[0], ends[1], n)
		}
	}
}
