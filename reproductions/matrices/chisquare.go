package matrices

import (
	"context"
	"math"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// chiSquare is the χ² law with r degrees of freedom.
type chiSquare struct {
	r     int
	gamma interval.Interval // Γ(r/2 + 1)
}

func newChiSquare(r int) *chiSquare {
	gamma, half := interval.Int(1), interval.Int(2)
	from := 2
	if r%2 == 1 { // Γ(1/2) = √π
		gamma, from = interval.Pi().Sqrt(), 1
	}
	for k := from; k <= r; k += 2 {
		gamma = gamma.Mul(interval.Int(int64(k))).Quo(half)
	}
	return &chiSquare{r, gamma}
}

// chances are probabilities of the law at a point x.
type chances struct {
	below, above interval.Interval // Pr[S ≤ x], Pr[S > x]
	step         interval.Interval // Pr[S ≤ x] minus that for r + 2 degrees of freedom
}

// at encloses the probabilities at x, both to about 13 significant digits. For x up to r it uses the series, above r
// the finite sum,
//
//	Pr[S ≤ x] = s Σ_k Π_{j≤k} x/(r + 2j),    s = (x/2)^{r/2} e^{−x/2}/Γ(r/2 + 1),
//	Pr[S > x] = s·r/x Σ_k Π_{j≤k} (r − 2j)/x, and Pr[N² > x] for odd r,
//
// whose terms are positive, do not increase, and are summed in float64.
func (c *chiSquare) at(x interval.Interval) chances {
	one, zero := interval.Int(1), interval.Int(0)
	lo, hi := x.Bounds()
	if hi <= 0 {
		return chances{zero, one, zero}
	}
	if lo <= 0 { // 0, or too close to 0 for a float64
		most := c.at(interval.Float(hi))
		step := most.step
		if hi > float64(c.r) { // step increases up to r
			step = c.at(interval.Int(int64(c.r))).step
		}
		return chances{interval.Hull(zero, most.below), interval.Hull(most.above, one), interval.Hull(zero, step)}
	}
	half, r := x.Quo(interval.Int(2)), interval.Int(int64(c.r))
	step := half.Log().Mul(r).Quo(interval.Int(2)).Sub(half).Exp().Quo(c.gamma)
	if hi <= float64(c.r) {
		least, _ := products(func(k int) float64 { return lo / float64(c.r+2*k) })
		_, most := products(func(k int) float64 { return hi / float64(c.r+2*k) })
		below := clamp(step.Mul(interval.Between(least, most)))
		return chances{below, one.Sub(below), step}
	}
	last := func(k int) float64 { // the numerator, down to 2 or 3, then 0
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

// products encloses Σ_k Π_{j≤k} ratio(j), k = 0, 1, …, for ratios that decrease and are at most 1.
func products(ratio func(k int) float64) (lo, hi float64) {
	sum, term := 1.0, 1.0
	for k := 1; ; k++ {
		next := ratio(k)
		term *= next
		if term <= 0x1p-64*sum*(1-next) || term == 0 {
			// Every term has 2k roundings and every sum one. The remainder is a geometric series.
			off := 4*float64(k+2)*interval.Unit + 0x1p-60
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

// point is a point where a function of S is known.
type point struct {
	x     float64
	at    chances
	value interval.Interval
}

// expected is E f(S) for a function f with values in [0, 1], enclosed over cells of S.
type expected struct {
	law   *chiSquare
	value func(x float64) interval.Interval
	// within bounds the mean of f over a cell of S with probability chance, where moment is E[S; cell].
	within func(a, b point, chance, moment interval.Interval) (least, most interval.Interval)
	// beyond bounds f beyond the last point.
	beyond func(last point) (least, most interval.Interval)
}

type cell struct {
	a, b   point
	lo, hi interval.Interval
	gap    float64
}

func (e expected) point(x float64) point { return point{x, e.law.at(interval.Float(x)), e.value(x)} }

func (e expected) cell(a, b point) cell {
	chance, moment := e.law.between(a.at, b.at)
	least, most := e.within(a, b, chance, moment)
	lo, hi := chance.Mul(least).Lower(), chance.Mul(most).Upper()
	return cell{a, b, lo, hi, hi.Sub(lo).Mid()}
}

// sum encloses the mean. It halves the cells with the widest enclosures until enough(lo, hi) holds or none can be
// halved.
func (e expected) sum(ctx context.Context, enough func(lo, hi float64) bool) (interval.Interval, error) {
	// The first cells are equal steps of √x around √r. The probability beyond them is below e^{−wide²/2} on either
	// side.
	const wide, first, rounds, most = 12, 16, 16, 1 << 12
	root := math.Sqrt(float64(e.law.r))
	from, to := math.Max(0, root-wide), root+wide
	last := e.point(0)
	var cells []cell
	for i := range first + 1 {
		v := from + (to-from)*float64(i)/first
		if v == 0 {
			continue
		}
		next := e.point(v * v)
		cells = append(cells, e.cell(last, next))
		last = next
	}
	least, highest := e.beyond(last)
	rest := last.at.above.Mul(interval.Hull(least, highest))
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		lo, hi, open := rest, rest, 0.0
		for _, c := range cells {
			lo, hi, open = lo.Add(c.lo), hi.Add(c.hi), math.Max(open, c.gap)
		}
		out := clamp(interval.Hull(lo, hi))
		if low, high := out.Bounds(); round == rounds || len(cells) > most || enough(low, high) {
			return out, nil
		}
		var next []cell
		for _, c := range cells {
			v := (math.Sqrt(c.a.x) + math.Sqrt(c.b.x)) / 2
			if c.gap < open/8 || !(v*v > c.a.x && v*v < c.b.x) {
				next = append(next, c)
				continue
			}
			middle := e.point(v * v)
			next = append(next, e.cell(c.a, middle), e.cell(middle, c.b))
		}
		cells = next
	}
}

// near returns a test that the ends differ by at most a fraction of the upper one, or are as small as cells can
// resolve.
func near(share float64) func(lo, hi float64) bool {
	return func(lo, hi float64) bool { return hi-lo <= share*hi || hi <= 1e-27 }
}
