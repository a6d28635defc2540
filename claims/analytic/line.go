package analytic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/continuous"
	"dpworkbench/evidence"
)

// lineCase is a neighboring set V on the line and a radius δ. δ and the ends of V are integers over a common
// denominator, scale.
type lineCase struct {
	ends   [][2]int64
	radius int64
	scale  int64
}

// layersOf computes the layers of the δ-neighborhood mechanism of a case.
func layersOf(c lineCase) (*continuous.Sequence, error) {
	var v [][2]*big.Rat
	for _, e := range c.ends {
		v = append(v, [2]*big.Rat{big.NewRat(e[0], c.scale), big.NewRat(e[1], c.scale)})
	}
	q, err := continuous.NewLinear(v)
	if err != nil {
		return nil, err
	}
	return continuous.NewSequence(context.Background(), q, big.NewRat(c.radius, c.scale))
}

// set returns V, symmetrised and with 0, and R_0 = [−δ, δ].
func (c lineCase) set() (v, start continuous.Set) {
	v = continuous.NewSet(continuous.Closed(new(big.Rat), new(big.Rat)))
	for _, e := range c.ends {
		part := continuous.NewSet(continuous.Closed(big.NewRat(e[0], c.scale), big.NewRat(e[1], c.scale)))
		v = v.Union(part).Union(part.Negate())
	}
	radius := big.NewRat(c.radius, c.scale)
	return v, continuous.NewSet(continuous.Closed(new(big.Rat).Neg(radius), radius))
}

// literal writes the intervals of V as a literal of the script language.
func (c lineCase) literal() string {
	var ends []string
	for _, e := range c.ends {
		ends = append(ends, fmt.Sprintf("(%q, %q)", big.NewRat(e[0], c.scale).RatString(), big.NewRat(e[1], c.scale).RatString()))
	}
	return "[" + strings.Join(ends, ", ") + "]"
}

// witness describes V and δ. replay is the part of the script that follows the definition of the mechanism m at decay
// 1.
func (c lineCase) witness(replay string) *check.Witness {
	radius := big.NewRat(c.radius, c.scale).RatString()
	return check.NewWitness(check.Named("V", c.literal(), "delta", radius),
		check.Vars{"V": check.Code(c.literal()), "delta": radius}, "m = delta_neighborhood(linear_query({V}), 1, {delta})", replay)
}

// drawLine draws a V of one to three intervals or points. In a third of the draws, all are points.
func drawLine(rng *rand.Rand) lineCase {
	c := lineCase{scale: 1 + rng.Int64N(9)}
	points := rng.IntN(3) == 0
	for range 1 + rng.IntN(3) {
		lo := rng.Int64N(30)
		hi := lo
		if !points && rng.IntN(3) > 0 {
			hi += rng.Int64N(8)
		}
		c.ends = append(c.ends, [2]int64{lo, hi})
	}
	c.ends[0][1]++ // so that V is not {0}
	if points {
		c.ends[0][0] = c.ends[0][1]
	}
	if rng.IntN(2) == 0 {
		c.radius = rng.Int64N(20)
	}
	return c
}

// tinyLines enumerates the V of one or two intervals or points with ends 0…5, with radii 0…2.
func tinyLines() iter.Seq[lineCase] {
	intervals := check.Grid(func(i *[2]int64) []check.Axis {
		return []check.Axis{
			check.Span(&i[0], 0, 5),
			check.Span(&i[1], 0, 5),
			check.Where(func() bool { return i[0] <= i[1] }),
		}
	})
	return check.Grid(func(c *lineCase) []check.Axis {
		var a, b [2]int64
		c.scale = 1
		return []check.Axis{
			check.From(&a, intervals),
			check.From(&b, intervals),
			check.Span(&c.radius, 0, 2),
			check.Where(func() bool { return a[1] > 0 && a[1] <= b[1] }),
			check.Let(func() { c.ends = [][2]int64{a, b} }),
		}
	})
}

// lineRule computes the layers of a case.
type lineRule func(c lineCase) (*continuous.Sequence, error)

// linePart reports whether a statement holds for one neighboring set.
type linePart func(c lineCase, l *continuous.Sequence) bool

// onLines states that part holds for neighboring sets and their layers, which build computes.
func onLines(build lineRule, part linePart) check.Statement[lineCase] {
	return check.Statement[lineCase]{
		Family: "one or two intervals or points with ends 0…5, δ 0…2",
		Each:   tinyLines(),
		Draw:   drawLine,
		Holds: func(c lineCase) bool {
			l, err := build(c)
			return errors.Is(err, evidence.ErrParameter) || part(c, check.Must(l, err)) // V = {0} is rejected
		},
		Witness: func(c lineCase) *check.Witness { return c.witness(convergenceReplay) },
	}
}

// layer returns R_i, which must be among the computed layers or follow from their periodicity.
func layer(l *continuous.Sequence, i int) continuous.Set { return check.Must(l.Set(i)) }

// shiftedLayers reports whether Corollary 5 holds for one V: a shift by an element of V changes the layer of any number
// by at most one. Certify proves it on the whole line. Sums of rational sets check it in the first four layers.
func shiftedLayers(c lineCase, l *continuous.Sequence) bool {
	sound, err := l.Certify(context.Background())
	if errors.Is(err, continuous.ErrLayerGap) {
		return false
	}
	check.Must(sound, err)
	v, _ := c.set()
	var a continuous.Set // A_i
	for i := range 4 {
		next := a.Union(layer(l, i))
		if !a.Sum(v).Difference(next).IsEmpty() {
			return false
		}
		a = next
	}
	return true
}

// grownLayers reports whether the first four layers satisfy R_i = R_0 + iV − A_{i−1}, computed by sums of rational
// sets, and whether later layers are periodic.
func grownLayers(c lineCase, l *continuous.Sequence) bool {
	v, a := c.set()
	want := a
	for i := range 4 {
		if !layer(l, i).Equal(want) {
			return false
		}
		next := a.Sum(v)
		want, a = next.Difference(a), next
	}
	p, ok := l.Periodicity()
	if !ok {
		return false
	}
	now, next := layer(l, p.From), layer(l, p.From+1)
	far := new(big.Rat).Add(l.Radius(), new(big.Rat).Mul(p.Shift, big.NewRat(int64(p.From+2), 1)))
	left := continuous.NewSet(continuous.Closed(new(big.Rat).Neg(far), new(big.Rat)))
	return now.Difference(left).Shift(p.Shift).Equal(next.Difference(left))
}

// twoIntervals restricts a statement to purest mechanisms of V = [0, a] ∪ [b, c] with 0 < a < b < c.
func twoIntervals(s check.Statement[lineCase]) check.Statement[lineCase] {
	s.Family = "[0, a] ∪ [b, c] with whole 0 < a < b < c ≤ 8, purest"
	s.Each = check.Grid(func(i *lineCase) []check.Axis {
		var a, b, c int64
		i.scale = 1
		return []check.Axis{
			check.Span(&a, 1, 6),
			check.Span(&b, 2, 7),
			check.Span(&c, 3, 8),
			check.Where(func() bool { return b > a && c > b }),
			check.Let(func() { i.ends = [][2]int64{{0, a}, {b, c}} }),
		}
	})
	s.Draw = func(rng *rand.Rand) lineCase {
		a := 1 + rng.Int64N(12)
		b := a + 1 + rng.Int64N(20)
		return lineCase{[][2]int64{{0, a}, {b, b + 1 + rng.Int64N(10)}}, 0, 1 + rng.Int64N(9)}
	}
	return s
}

func converges(_ lineCase, l *continuous.Sequence) bool {
	_, ok := l.Converges()
	return ok
}

// printedInterval states Definition 20 as printed: some layer, up to the first that repeats, is one interval of length
// 2Δ.
var printedInterval = func() check.Statement[lineCase] {
	s := onLines(layersOf, func(_ lineCase, l *continuous.Sequence) bool {
		p, ok := l.Periodicity()
		if !ok {
			return false
		}
		wide := new(big.Rat).Add(p.Shift, p.Shift)
		for n := range p.From + 2 {
			if parts := layer(l, n).Closure().Segments(); len(parts) == 1 && new(big.Rat).Sub(parts[0].Hi, parts[0].Lo).Cmp(wide) == 0 {
				return true
			}
		}
		return false
	})
	s.Witness = func(c lineCase) *check.Witness {
		return c.witness("p = m.periodicity; all = m.layers(up_to=p[\"from\"] + 1); print(all, 2 * p[\"shift\"], any([len(l) == 1 and l[0][1] - l[0][0] == 2 * p[\"shift\"] for l in all]))")
	}
	return s
}()

// convergenceReplay shows that the layers do not converge: from some layer on they repeat, shifted by Δ, but that layer
// is not ±[a, a + Δ].
const convergenceReplay = "p = m.periodicity; right = [i for i in m.layers(up_to=p[\"from\"])[-1] if i[1] > 0]; print(right, p[\"shift\"], len(right) == 1 and right[0][1] - right[0][0] == p[\"shift\"])"

// withInterval restricts a statement to V that contain an interval.
func withInterval(part linePart) linePart {
	return func(c lineCase, l *continuous.Sequence) bool {
		return !slices.ContainsFunc(c.ends, func(e [2]int64) bool { return e[0] < e[1] }) || part(c, l)
	}
}

// lineChecks returns the checks of Corollary 5, Proposition 8 and Definition 20.
func lineChecks() check.Checks {
	return check.Checks{
		"analytic.corollary5":           onLines(layersOf, shiftedLayers).Check,
		"analytic.corollary5.truncated": check.WithException(truncatedCounting(2).Check, truncatedCounting(1).Check),
		"analytic.proposition8":         twoIntervals(onLines(layersOf, converges)).Check,
		"analytic.definition20.printed": check.WithCorrection(twoIntervals(printedInterval).Check, twoIntervals(onLines(layersOf, converges)).Check),
		"analytic.definition20":         check.WithException(onLines(layersOf, grownLayers).Check, onLines(layersOf, withInterval(converges)).Check),
	}
}
