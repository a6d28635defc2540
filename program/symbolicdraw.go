package program

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// SymbolicDraw is a draw of noise as a program computes with it: an integer combination of draws that are not known
// yet, plus a rational number. It belongs to one run.
type SymbolicDraw struct {
	of    []part // by ascending draw; every times is nonzero
	add   *big.Rat
	noise *Noise
}

// part is the draw with index draw, multiplied by times.
type part struct{ draw, times int }

// Add returns u + v.
func (u SymbolicDraw) Add(v SymbolicDraw) SymbolicDraw {
	times := make(map[int]int)
	for _, p := range slices.Concat(u.of, v.of) {
		times[p.draw] += p.times
	}
	var of []part
	for _, d := range slices.Sorted(maps.Keys(times)) {
		if times[d] != 0 {
			of = append(of, part{d, times[d]})
		}
	}
	return SymbolicDraw{of, new(big.Rat).Add(u.add, v.add), u.Run(v)}
}

// Run returns the run to which u or v belongs.
func (u SymbolicDraw) Run(v SymbolicDraw) *Noise {
	if u.noise != nil {
		return u.noise
	}
	return v.noise
}

// Neg returns −u.
func (u SymbolicDraw) Neg() SymbolicDraw { return u.Times(-1) }

// Sub returns u − v.
func (u SymbolicDraw) Sub(v SymbolicDraw) SymbolicDraw { return u.Add(v.Neg()) }

// Plus returns u + q.
func (u SymbolicDraw) Plus(q *big.Rat) SymbolicDraw {
	return SymbolicDraw{u.of, new(big.Rat).Add(u.add, q), u.noise}
}

// Times returns k·u.
func (u SymbolicDraw) Times(k int) SymbolicDraw {
	if k == 0 {
		return SymbolicDraw{add: new(big.Rat), noise: u.noise}
	}
	of := lists.Of(len(u.of), func(i int) part { return part{u.of[i].draw, k * u.of[i].times} })
	return SymbolicDraw{of, new(big.Rat).Mul(u.add, big.NewRat(int64(k), 1)), u.noise}
}

// Fail ends the run to which u belongs with an error.
func (u SymbolicDraw) Fail(format string, args ...any) {
	if u.noise != nil {
		u.noise.fail(format, args...)
	}
}

// Constant returns the value of u if it contains no draw.
func (u SymbolicDraw) Constant() (*big.Rat, bool) { return u.add, len(u.of) == 0 }

// Constant returns the number q as a SymbolicDraw without draws.
func Constant(q *big.Rat) SymbolicDraw { return SymbolicDraw{add: q} }

// String formats u with the names X1, X2, … for the draws in their order.
func (u SymbolicDraw) String() string {
	var b strings.Builder
	for _, p := range u.of {
		switch {
		case p.times < 0:
			b.WriteString("−")
		case b.Len() > 0:
			b.WriteString("+")
		}
		if n := max(p.times, -p.times); n != 1 {
			fmt.Fprintf(&b, "%d·", n)
		}
		fmt.Fprintf(&b, "X%d", p.draw+1)
	}
	if u.add.Sign() != 0 || b.Len() == 0 {
		if u.add.Sign() > 0 && b.Len() > 0 {
			b.WriteString("+")
		}
		b.WriteString(strings.ReplaceAll(u.add.RatString(), "-", "−"))
	}
	return b.String()
}

// form is a linear form Σ times·X whose first coefficient is positive and whose coefficients have no common divisor.
// The key identifies it.
type form struct {
	key string
	of  []part
}

// formOf returns u's draws as k·form, k ≠ 0.
func formOf(of []part) (f form, k int) {
	g := 0
	for _, p := range of {
		g = gcd(g, max(p.times, -p.times))
	}
	if of[0].times < 0 {
		g = -g
	}
	var b strings.Builder
	f.of = make([]part, len(of))
	for i, p := range of {
		f.of[i] = part{p.draw, p.times / g}
		fmt.Fprintf(&b, "%d*%d ", f.of[i].times, p.draw)
	}
	f.key = b.String()
	return f, g
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// span is the interval of a linear form of draws: lo … hi, both inclusive; below and above mean infinity.
type span struct{ lo, hi int64 }

func (s span) isEmpty() bool { return s.lo > s.hi }

// whole64 returns n if it is small enough for a cut.
func whole64(n *big.Int) (int64, error) {
	if !n.IsInt64() || n.Int64() > largestCut || n.Int64() < -largestCut {
		return 0, parameter.Errorf("a comparison with %v, want at most %d in absolute value", n, largestCut)
	}
	return n.Int64(), nil
}
