package convolve

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"
)

// schoolbook returns the convolution by multiplying all pairs of terms.
func schoolbook(a, b []*big.Int) []*big.Int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := make([]*big.Int, len(a)+len(b)-1)
	for i := range out {
		out[i] = new(big.Int)
	}
	for i, x := range a {
		for j, y := range b {
			out[i+j].Add(out[i+j], new(big.Int).Mul(x, y))
		}
	}
	return out
}

// rowOf returns n random numbers below 2^size, among them 0 and the largest.
func rowOf(rng *rand.Rand, n, size int) []*big.Int {
	row := make([]*big.Int, n)
	top := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(size)), big.NewInt(1))
	for i := range row {
		switch rng.IntN(4) {
		case 0:
			row[i] = new(big.Int)
		case 1:
			row[i] = top
		default:
			row[i] = new(big.Int)
			for range size/64 + 1 {
				row[i].Lsh(row[i], 64).Or(row[i], new(big.Int).SetUint64(rng.Uint64()))
			}
			row[i].And(row[i], top)
		}
	}
	return row
}

func same(t *testing.T, what string, got, want []*big.Int) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i].Cmp(want[i]) != 0 {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range [][2]int{{0, 3}, {1, 1}, {1, 7}, {2, 2}, {3, 64}, {65, 65}, {100, 29}, {128, 129}} {
		for _, size := range []int{1, 31, 61, 62, 63, 64, 100, 190, 700} {
			a, b := rowOf(rng, n[0], size), rowOf(rng, n[1], size)
			what := fmt.Sprintf("%d by %d numbers of %d bits", n[0], n[1], size)
			want := schoolbook(a, b)
			same(t, what, Rows(a, b), want)
			same(t, what+" squared", Rows(a, a), schoolbook(a, a))
			if n[0] > 0 {
				total := 2*size + 8
				same(t, what+" as one number", kronecker(a, b, total), want)
				same(t, what+" by transforms", transformed(a, b, total), want)
				same(t, what+" squared by transforms", transformed(b, b, total), schoolbook(b, b))
			}
		}
	}
}

// Rows filled with the largest numbers give the largest possible sums without overflow.
func TestRowsWithoutOverflow(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 1000} {
		for _, size := range []int{1, 30, 61, 122, 123, 150, 183} {
			top := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(size)), big.NewInt(1))
			a := make([]*big.Int, n)
			for i := range a {
				a[i] = top
			}
			square := new(big.Int).Mul(top, top)
			total := new(big.Int).Mul(square, big.NewInt(int64(n))).BitLen()
			for i, m := range transformed(a, a, total) {
				if want := new(big.Int).Mul(square, big.NewInt(int64(min(i, 2*n-2-i)+1))); m.Cmp(want) != 0 {
					t.Fatalf("%d numbers of %d bits: sum %d is %v, want %v", n, size, i, m, want)
				}
			}
		}
	}
}

// Long rows use transforms and short rows do not, and both give the correct sums.
func TestRowsByTransforms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := rowOf(rng, 3000, 150), rowOf(rng, 5000, 150)
	size := 2*150 + 13
	same(t, "long rows", Rows(a, b), kronecker(a, b, size))
	same(t, "long rows by transforms", transformed(a, b, size), kronecker(a, b, size))
}

// sumBits exceeds the bit length of the largest sum by at most two.
func TestSumBits(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {7, 8}, {64, 1000}, {1000, 64}} {
		for _, size := range [][2]uint{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {3, 200}, {200, 3}, {64, 64}} {
			row := func(n int, size uint) []*big.Int {
				out := make([]*big.Int, n)
				for i := range out {
					out[i] = new(big.Int)
				}
				out[n/2].Sub(out[n/2].Lsh(big.NewInt(1), size), big.NewInt(1)) // 2^size − 1; the others are 0
				return out
			}
			a, b := row(n[0], size[0]), row(n[1], size[1])
			top := new(big.Int).Mul(a[n[0]/2], b[n[1]/2])
			want := top.Mul(top, big.NewInt(int64(min(n[0], n[1])))).BitLen()
			if top.Sign() == 0 {
				want = int(size[0]+size[1]) + bits.Len(uint(min(n[0], n[1]))) - 1
			}
			if got := sumBits(a, b); got < want || got > want+2 {
				t.Errorf("%v numbers of %v bits have sums of %d bits, want %d", n, size, got, want)
			}
		}
	}
}

// The choice of algorithm changes at fewWords, and at the longest transform.
func TestFastThresholds(t *testing.T) {
	const words = 8
	size := words*bits.UintSize - 1
	for _, c := range []struct {
		a, b, size int
		want       bool
	}{
		{fewWords / words, fewWords, size, true}, {fewWords, fewWords / words, size, true}, {fewWords/words - 1, fewWords, size, false},
		{fewWords / words, fewWords, size - bits.UintSize, false}, {fewWords - 1, fewWords, 1, false}, {fewWords, fewWords, 1, true},
		{mostPoints / 2, mostPoints / 2, size, true}, {mostPoints / 2, mostPoints/2 + 1, size, false}, {mostPoints - 1, 1, 1 << 20, true},
	} {
		if got := fast(c.a, c.b, c.size); got != c.want {
			t.Errorf("%d by %d numbers with sums of %d bits: fast is %v, want %v", c.a, c.b, c.size, got, c.want)
		}
	}
}

// points returns the number of points of a transform: the length of the product, rounded up to a power of two. The
// longest transform has mostPoints points.
func TestPoints(t *testing.T) {
	for length, want := range map[int]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 1023: 1024, 1024: 1024, 1025: 2048, mostPoints - 1: mostPoints} {
		if got := points(length); got != want {
			t.Errorf("%d numbers take %d points, want %d", length, got, want)
		}
	}
}

// Field operations match big.Int, also at the ends of the range.
func TestFields(t *testing.T) {
	over := firstFields(5)
	for k, f := range over {
		p := new(big.Int).SetUint64(f.p)
		if !p.ProbablyPrime(20) || p.BitLen() != primeBits || (f.p-1)%mostPoints != 0 {
			t.Errorf("%v is not a prime of %d bits with roots of unity of order 2^%d", p, primeBits, logPoints)
		}
		above := uint64(1) << primeBits // no prime between two fields is skipped
		if k > 0 {
			above = over[k-1].p
		}
		for q := f.p + mostPoints; q < above; q += mostPoints {
			if new(big.Int).SetUint64(q).ProbablyPrime(0) {
				t.Errorf("the prime %d between %d and %d is skipped", q, f.p, above)
			}
		}
		if half := new(big.Int).Exp(new(big.Int).SetUint64(f.root), big.NewInt(mostPoints/2), p); half.Uint64() != f.p-1 {
			t.Errorf("%d is not a root of unity of order 2^%d modulo %v", f.root, logPoints, p)
		}
		check := func(what string, got uint64, want *big.Int) {
			t.Helper()
			if w := want.Mod(want, p); w.Uint64() != got {
				t.Errorf("%s modulo %v is %d, want %v", what, p, got, w)
			}
		}
		rng := rand.New(rand.NewPCG(7, uint64(k)))
		values := []uint64{0, 1, 2, f.p / 2, f.p - 2, f.p - 1, rng.Uint64N(f.p), rng.Uint64N(f.p)}
		for _, a := range values {
			x := new(big.Int).SetUint64(a)
			for _, b := range values {
				y := new(big.Int).SetUint64(b)
				check("a sum", f.plus(a, b), new(big.Int).Add(x, y))
				check("a gap", f.minus(a, b), new(big.Int).Sub(x, y))
				check("a product", f.mul(a, b), new(big.Int).Mul(x, y))
				for _, wide := range []uint64{a, a + f.p, 1<<63 + a, math.MaxUint64 - a} {
					check("a product by a factor", f.times(wide, f.factor(b)), new(big.Int).Mul(new(big.Int).SetUint64(wide), y))
				}
				check("a power", f.power(a, b), new(big.Int).Exp(x, y, p))
			}
			if a > 0 {
				check("an inverse", f.inverse(a), new(big.Int).ModInverse(x, p))
			}
		}
	}
}

// The square of the twiddle factor of block s is ± the factor of block s/2. The second table holds the inverses of the
// factors.
func TestTwiddleTables(t *testing.T) {
	f := firstFields(1)[0]
	f.twiddles, f.inverses = nil, nil
	for _, c := range [][2]int{{1, 1}, {2, 1}, {4, 2}, {64, 32}, {128, 64}, {16, 64}} {
		if twiddles, inverses := f.tables(c[0]); len(twiddles) != c[1] || len(inverses) != c[1] || twiddles[0].n != 1 {
			t.Fatalf("%d points have %d twiddles from %d on and %d inverses, want %d", c[0], len(twiddles), twiddles[0].n, len(inverses), c[1])
		}
	}
	twiddles, inverses := f.tables(64)
	for s, w := range twiddles {
		if got := f.mul(w.n, inverses[s].n); got != 1 {
			t.Errorf("twiddle factor and inverse of block %d have the product %d", s, got)
		}
		want := twiddles[s/2].n
		if s%2 == 1 {
			want = f.minus(0, want)
		}
		if got := f.mul(w.n, w.n); s > 0 && got != want {
			t.Errorf("the square of the twiddle factor of block %d is %d, want %d", s, got, want)
		}
	}
}

// Rows multiplied concurrently find and initialize new fields. The race detector checks this, too.
func TestRowsConcurrently(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	fields.all, fields.next = nil, 0
	var wait sync.WaitGroup
	for range 4 {
		a, b := rowOf(rng, 40, 2000), rowOf(rng, 30, 2000)
		wait.Go(func() { same(t, "rows at once", transformed(a, b, 4008), schoolbook(a, b)) })
	}
	wait.Wait()
}

func BenchmarkRows(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16} {
		for _, size := range []int{70, 150} {
			row := rowOf(rng, n, size)
			total := 2*size + 20
			b.Run(fmt.Sprintf("transforms/%d/%d", n, size), func(b *testing.B) {
				for b.Loop() {
					transformed(row, row, total)
				}
			})
			b.Run(fmt.Sprintf("product/%d/%d", n, size), func(b *testing.B) {
				for b.Loop() {
					kronecker(row, row, total)
				}
			})
		}
	}
}
