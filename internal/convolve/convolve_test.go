package convolve

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// schoolbook multiplies term by term.
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

// rowOf returns random numbers below 2^size, the largest and 0 among them.
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
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i].Cmp(want[i]) != 0 {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
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

// Full rows of the largest numbers reach the largest sum there is.
func TestLargestSums(t *testing.T) {
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

// Long rows go by transforms and short ones do not, with the same sums.
func TestLongRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := rowOf(rng, 3000, 150), rowOf(rng, 5000, 150)
	size := 2*150 + 13
	same(t, "long rows", Rows(a, b), kronecker(a, b, size))
	same(t, "long rows by transforms", transformed(a, b, size), kronecker(a, b, size))
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
