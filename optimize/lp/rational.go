package lp

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/internal/lists"
)

func transpose(m [][]*big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(m[0]))
	for k := range out {
		out[k] = make([]*big.Rat, len(m))
		for i := range m {
			out[k][i] = m[i][k]
		}
	}
	return out
}

// solveRational returns x with m x = right. Unknowns that the equations leave free take rationals near guess. It
// returns nil if the equations are inconsistent or ctx ends.
func solveRational(ctx context.Context, m [][]*big.Rat, right []*big.Rat, guess []float64) []*big.Rat {
	rows, cols, ok := independent(m, right)
	if !ok {
		return nil
	}
	basic := make([]int, len(guess)) // 1 + index in cols, 0 if free
	for k, c := range cols {
		basic[c] = k + 1
	}
	x := make([]*big.Rat, len(guess))
	for c := range x {
		if basic[c] == 0 {
			x[c] = rounded(guess[c])
		}
	}
	term := new(big.Rat)
	square := make([][]*big.Int, len(rows))
	for i, r := range rows {
		rest := new(big.Rat).Set(right[r])
		for c, v := range m[r] {
			if basic[c] == 0 && v.Sign() != 0 {
				rest.Sub(rest, term.Mul(v, x[c]))
			}
		}
		square[i] = whole(append(lists.Each(cols, func(c int) *big.Rat { return m[r][c] }), rest))
	}
	solution := bareiss(ctx, square)
	if solution == nil {
		return nil
	}
	for k, c := range cols {
		x[c] = solution[k]
	}
	for i, line := range m { // the dependent equations must agree
		sum := new(big.Rat)
		for c, v := range line {
			if v.Sign() != 0 {
				sum.Add(sum, term.Mul(v, x[c]))
			}
		}
		if sum.Cmp(right[i]) != 0 {
			return nil
		}
	}
	return x
}

// SolveSquare returns the x with m x = right, or nil if the square matrix m is singular or ctx ends.
func SolveSquare(ctx context.Context, m [][]*big.Rat, right []*big.Rat) []*big.Rat {
	return bareiss(ctx, lists.Of(len(m), func(i int) []*big.Int { return whole(append(slices.Clone(m[i]), right[i])) }))
}

// whole returns the line multiplied by the least common denominator.
func whole(line []*big.Rat) []*big.Int {
	common := big.NewInt(1)
	for _, v := range line {
		g := new(big.Int).GCD(nil, nil, common, v.Denom())
		common.Mul(common, g.Quo(v.Denom(), g))
	}
	out := make([]*big.Int, len(line))
	for i, v := range line {
		out[i] = new(big.Int).Quo(common, v.Denom())
		out[i].Mul(out[i], v.Num())
	}
	return out
}

// bareiss solves the square system whose lines end with the right-hand side, by fraction-free elimination (Bareiss
// 1968). It returns nil if the matrix is singular or ctx ends.
func bareiss(ctx context.Context, a [][]*big.Int) []*big.Rat {
	n := len(a)
	last, product := big.NewInt(1), new(big.Int)
	for k := range n {
		if ctx.Err() != nil {
			return nil
		}
		at := k
		for i := k; i < n; i++ { // the shortest pivot keeps numbers short
			if a[i][k].Sign() != 0 && (a[at][k].Sign() == 0 || a[i][k].BitLen() < a[at][k].BitLen()) {
				at = i
			}
		}
		if a[at][k].Sign() == 0 {
			return nil
		}
		a[k], a[at] = a[at], a[k]
		for i := k + 1; i < n; i++ {
			if ctx.Err() != nil {
				return nil
			}
			for j := k + 1; j <= n; j++ {
				a[i][j].Mul(a[i][j], a[k][k])
				if a[i][k].Sign() != 0 && a[k][j].Sign() != 0 {
					a[i][j].Sub(a[i][j], product.Mul(a[i][k], a[k][j]))
				}
				a[i][j].Quo(a[i][j], last)
			}
		}
		last = a[k][k]
	}
	x := make([]*big.Rat, n)
	term := new(big.Rat)
	for k := n - 1; k >= 0; k-- {
		if ctx.Err() != nil {
			return nil
		}
		sum := new(big.Rat).SetInt(a[k][n])
		for j := k + 1; j < n; j++ {
			if a[k][j].Sign() != 0 {
				sum.Sub(sum, term.Mul(term.SetInt(a[k][j]), x[j]))
			}
		}
		x[k] = sum.Quo(sum, new(big.Rat).SetInt(a[k][k]))
	}
	return x
}

const prime = 1<<61 - 1

func mulmod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, rem := bits.Div64(hi%prime, lo, prime)
	return rem
}

func invmod(a uint64) uint64 {
	return new(big.Int).ModInverse(new(big.Int).SetUint64(a), big.NewInt(prime)).Uint64()
}

// independent returns rows and columns of a nonsingular submatrix of full rank, by elimination modulo a prime, which is
// much faster than integer elimination. ok is false if the equations are inconsistent modulo the prime, or a
// denominator vanishes. The result is not assumed correct: a solution is checked against every equation.
func independent(m [][]*big.Rat, right []*big.Rat) (rows, cols []int, ok bool) {
	p := new(big.Int).SetUint64(prime)
	a := make([][]uint64, len(m))
	residue := new(big.Int)
	width := len(m[0])
	for i, line := range m {
		a[i] = make([]uint64, width+1)
		for c, v := range append(slices.Clone(line), right[i]) {
			den := residue.Mod(v.Denom(), p).Uint64()
			if den == 0 {
				return nil, nil, false
			}
			a[i][c] = mulmod(residue.Mod(v.Num(), p).Uint64(), invmod(den))
		}
	}
	used := make([]bool, len(m))
	for c := range width {
		at := -1
		for i := range a {
			if !used[i] && a[i][c] != 0 {
				at = i
				break
			}
		}
		if at < 0 {
			continue
		}
		used[at] = true
		rows, cols = append(rows, at), append(cols, c)
		inverse := invmod(a[at][c])
		for i := range a {
			if used[i] || a[i][c] == 0 {
				continue
			}
			f := mulmod(a[i][c], inverse)
			for k := c; k < len(a[i]); k++ {
				a[i][k] = (a[i][k] + prime - mulmod(f, a[at][k])) % prime
			}
		}
	}
	for i := range a {
		if !used[i] && a[i][width] != 0 {
			return nil, nil, false
		}
	}
	return rows, cols, true
}
