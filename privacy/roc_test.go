package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bestLine returns the height at q of the least concave function above points, (0, 0) and (1, 1): the best of all
// lines between two.
func bestLine(points [][2]float64, q float64) float64 {
	points = append(slices.Clone(points), [2]float64{0, 0}, [2]float64{1, 1})
	most := math.Inf(-1)
	for _, a := range points {
		for _, b := range points {
			switch {
			case a[0] == q:
				most = max(most, a[1])
			case a[0] < q && b[0] > q:
				most = max(most, a[1]+(b[1]-a[1])*(q-a[0])/(b[0]-a[0]))
			}
		}
	}
	return most
}

// The hull of points has strictly falling slopes, its corners are points, and its height is that of the best line, at
// corners and between them. The coordinates are sixteenths, so that float64s are exact, and many points lie in line.
func TestHullsOfPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	for range 300 {
		var points [][2]float64
		var exactly []point
		for range 1 + rng.IntN(12) {
			q := rng.IntN(17)
			p := q + rng.IntN(17-q)
			points = append(points, [2]float64{float64(q) / 16, float64(p) / 16})
			exactly = append(exactly, point{big.NewRat(int64(q), 16), big.NewRat(int64(p), 16)})
		}
		all := append(slices.Clone(points), [2]float64{0, 0}, [2]float64{1, 1})
		corners := hull(exactly)
		var at [][2]float64
		for i, c := range corners {
			q, _ := c.q.Float64()
			p, _ := c.p.Float64()
			at = append(at, [2]float64{q, p})
			if !slices.Contains(all, at[i]) {
				t.Fatalf("%v: corner %d is %v", points, i, at[i])
			}
			if i > 0 && (q <= at[i-1][0] || p <= at[i-1][1]) {
				t.Fatalf("%v: corner %v after %v", points, at[i], at[i-1])
			}
			if i > 1 && slopeOf(at[i-2], at[i-1]) <= slopeOf(at[i-1], at[i]) {
				t.Fatalf("%v: no corner at %v between %v and %v", points, at[i-1], at[i-2], at[i])
			}
		}
		last := at[len(at)-1]
		if at[0][0] != 0 || last[1] != 1 {
			t.Fatalf("%v: the hull goes from %v to %v", points, at[0], last)
		}
		for k := range 65 {
			want := bestLine(points, float64(k)/64)
			if got, _ := heightAt(corners, big.NewRat(int64(k), 64)).Float64(); math.Abs(got-want) > 1e-15 {
				t.Fatalf("%v: the height %g at %d/64, want %g", points, got, k, want)
			}
		}
		// The slope after a corner is that of the line to the next, and the last corner has that before it.
		for i := range corners {
			from := max(min(i, len(at)-2), 0)
			want := 0.0
			if len(at) > 1 {
				want = slopeOf(at[from], at[from+1])
			}
			if got, _ := slopeAt(corners, i).Float64(); math.Abs(got-want) > 1e-12*want {
				t.Fatalf("%v: slope %g at corner %d, want %g", points, got, i, want)
			}
		}
		// And the pair of the hull has its steps for losses, infinite ones at both ends.
		l := pairFromHull(corners)
		infinityMass, _ := l.infinityMass.Rational.Float64()
		qOnlyMass, _ := l.qOnlyMass.Rational.Float64()
		if infinityMass != at[0][1] || qOnlyMass != 1-last[0] || len(l.atoms) != len(at)-1 {
			t.Fatalf("%v: %d losses, infinite ones of %g, and %g that P never gives", points, len(l.atoms), infinityMass, qOnlyMass)
		}
		for i, a := range l.atoms {
			k := len(l.atoms) - i // losses rise, slopes fall
			p, _ := a.P.Rational.Float64()
			q, _ := a.Q.Rational.Float64()
			if p != at[k][1]-at[k-1][1] || q != at[k][0]-at[k-1][0] || !slices.Equal(a.Tags, []int{k}) {
				t.Fatalf("%v: loss %d has %g and %g, named %v", points, k, p, q, a.Tags)
			}
		}
	}
	if heightAt(nil, one).Sign() != 0 {
		t.Error("without a corner there is a height")
	}
}

// slopeOf is that from a to b.
func slopeOf(a, b [2]float64) float64 { return (b[1] - a[1]) / (b[0] - a[0]) }
