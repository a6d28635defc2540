package matrices

import (
	"math"

	"dpworkbench/gaussian"
	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
)

// chiSquare is the χ² law of r degrees of freedom.
type chiSquare struct {
	r     int
	gamma interval.Interval // Γ(r/2 + 1)
}

func newChiSquare(r int) *chiSquare {
	gamma, half := interval.Int(1), interval.Int(2)
	from := 2
	if r%2 == 1 { // Γ(1/2) = √π
		gamma, from = elementary.Pi().Sqrt(), 1
	}
	for k := from; k <= r; k += 2 {
		gamma = gamma.Mul(interval.Int(int64(k))).Quo(half)
	}
	return &chiSquare{r, gamma}
}

// chances of the law at a point x.
type chances struct {
	below, above interval.Interval // Pr[S ≤ x], Pr[S > x]
	step         interval.Interval // Pr[S ≤ x] less that of r + 2 degrees of freedom
}

// at encloses the chances at x, both to about 13 digits of their own. Up to r stands the
// series, and above the finite one,
//
//	Pr[S ≤ x] = s Σ_k Π_{j≤k} x/(r + 2j),    s = (x/2)^{r/2} e^{−x/2}/Γ(r/2 + 1),
//	Pr[S > x] = s·r/x Σ_k Π_{j≤k} (r − 2j)/x, and Pr[N² > x] for odd r,
//
// whose terms are positive, at most the one before, and summed in float64.
func (c *chiSquare) at(x interval.Interval) chances {
	one, zero := interval.Int(1), interval.Int(0)
	lo, hi := x.Bounds()
	if hi <= 0 {
		return chances{zero, one, zero}
	}
	if lo <= 0 { // down to 0
		most := c.at(x.Upper())
		return chances{interval.Hull(zero, most.below), interval.Hull(most.above, one), interval.Hull(zero, most.step)}
	}
	half, r := x.Quo(interval.Int(2)), interval.Int(int64(c.r))
	step := half.Log().Mul(r).Quo(interval.Int(2)).Sub(half).Exp().Quo(c.gamma)
	if hi <= float64(c.r) {
		least, _ := products(func(k int) float64 { return lo / float64(c.r+2*k) })
		_, most := products(func(k int) float64 { return hi / float64(c.r+2*k) })
		below := clamp(step.Mul(interval.Between(least, most)))
		return chances{below, one.Sub(below), step}
	}
	last := func(k int) float64 { // the numerator, down to 2 or 3, and then 0
		if left := c.r - 2*k; left > 1 {
			return float64(left)
		}
		return 0
	}
	_, most := products(func(k int) float64 { return last(k) / lo })
	least, _ := products(func(k int) float64 { return last(k) / hi })
	above := step.Mul(r).Quo(x)
	if c.r == 1 {
		above = zero
	} else {
		above = above.Mul(interval.Between(least, most))
	}
	if c.r%2 == 1 {
		above = above.Add(interval.Int(2).Mul(gaussian.Tail(x.Sqrt())))
	}
	above = clamp(above)
	return chances{one.Sub(above), above, step}
}

// products bounds Σ_k Π_{j≤k} ratio(j), k = 0, 1, …, of ratios that fall and are at most 1.
func products(ratio func(k int) float64) (lo, hi float64) {
	const unit = 0x1p-53
	sum, term := 1.0, 1.0
	for k := 1; ; k++ {
		next := ratio(k)
		term *= next
		if term <= 0x1p-64*sum*(1-next) || term == 0 {
			// Every term has 2k roundings, every sum one; what is left is a geometric series.
			off := 4*float64(k+2)*unit + 0x1p-60
			return sum * (1 - off), sum * (1 + off)
		}
		sum += term
	}
}

// between encloses Pr[a < S ≤ b] and E[S; a < S ≤ b] = r(F_{r+2}(b) − F_{r+2}(a)).
func (c *chiSquare) between(a, b chances) (chance, mean interval.Interval) {
	chance = b.below.Sub(a.below)
	if other := a.above.Sub(b.above); narrower(other, chance) {
		chance = other
	}
	chance = positivePart(chance)
	return chance, interval.Int(int64(c.r)).Mul(chance.Sub(b.step.Sub(a.step)))
}

func narrower(a, b interval.Interval) bool {
	return a.Upper().Sub(a.Lower()).CmpHi(b.Upper().Sub(b.Lower())) < 0
}

// cuts returns where the law is cut for sums over cells: even steps of √x around √r, as far
// as anything lies.
func (c *chiSquare) cuts(n int) []float64 {
	const wide = 12 // e^{−wide²/2} is what lies further out, on either side
	root := math.Sqrt(float64(c.r))
	from, to := math.Max(0, root-wide), root+wide
	out := make([]float64, 0, n+2)
	if from > 0 {
		out = append(out, 0)
	}
	for i := range n + 1 {
		v := from + (to-from)*float64(i)/float64(n)
		out = append(out, v*v)
	}
	return out
}
