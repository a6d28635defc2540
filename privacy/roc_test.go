package privacy

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// chordAt returns the height at q of the line through two points, or 0 if q is not between them.
func chordAt(a, b point, q *big.Rat) *big.Rat {
	if a.q.Cmp(q) == 0 {
		return a.p
	}
	if a.q.Cmp(q) > 0 || b.q.Cmp(q) <= 0 {
		return new(big.Rat)
	}
	v := new(big.Rat).Quo(new(big.Rat).Sub(q, a.q), new(big.Rat).Sub(b.q, a.q))
	return v.Mul(v, new(big.Rat).Sub(b.p, a.p)).Add(v, a.p)
}

// The height of the hull at each q is the largest height of all chords, and the losses of its pair are the logarithms
// of its slopes. Points lie on a coarse grid, so many are collinear.
func TestHullMatchesChords(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	for range 100 {
		all := []point{{new(big.Rat), new(big.Rat)}, {one, one}}
		for range 1 + rng.IntN(12) {
			q := rng.Int64N(17)
			all = append(all, point{big.NewRat(q, 16), big.NewRat(q+rng.Int64N(17-q), 16)})
		}
		corners := hull(all[2:])
		for k := range int64(33) {
			q, want := big.NewRat(k, 32), new(big.Rat)
			for _, a := range all {
				for _, b := range all {
					if v := chordAt(a, b, q); v.Cmp(want) > 0 {
						want = v
					}
				}
			}
			if got := heightAt(corners, q); got.Cmp(want) != 0 {
				t.Fatalf("%v: the height %v at %v, want %v", all, got, q, want)
			}
		}
		l, n := pairFromHull(corners), len(corners)-1
		if corners[0].q.Sign() != 0 || corners[n].p.Cmp(one) != 0 || l.infinityMass.Rational.Cmp(corners[0].p) != 0 || new(big.Rat).Add(l.qOnlyMass.Rational, corners[n].q).Cmp(one) != 0 || len(l.atoms) != n {
			t.Fatalf("%v: the hull is %v, with %d losses and the infinite masses %v and %v",
				all, corners, len(l.atoms), l.infinityMass, l.qOnlyMass)
		}
		for i, a := range l.atoms { // losses increase, so slopes decrease
			k := n - i
			if new(big.Rat).Add(corners[k-1].p, a.P.Rational).Cmp(corners[k].p) != 0 || new(big.Rat).Add(corners[k-1].q, a.Q.Rational).Cmp(corners[k].q) != 0 || !slices.Equal(a.Tags, []int{k}) ||
				slopeAt(corners, k-1).Cmp(l.ratio(a)) != 0 || k == n && slopeAt(corners, n).Cmp(l.ratio(a)) != 0 || i > 0 && l.ratio(a).Cmp(l.ratio(l.atoms[i-1])) <= 0 {
				t.Fatalf("%v: loss %d has the masses %v and %v and the tags %v", all, i, a.P, a.Q, a.Tags)
			}
		}
	}
	if heightAt(nil, one).Sign() != 0 || slopeAt([]point{{new(big.Rat), one}}, 0).Sign() != 0 {
		t.Error("an empty hull has a height, or a single corner a slope")
	}
}

// The envelope of lines is their minimum, or 1 if that is smaller, at all points including the corners.
func TestEnvelopeIsMinimumOfLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	for range 100 {
		var lines []line
		for range 1 + rng.IntN(5) { // tangents of p = √q, some repeated, some shifted up
			at := big.NewRat(1+rng.Int64N(8), 8)
			lines = append(lines, line{new(big.Rat).Mul(at, big.NewRat(1, 2)), new(big.Rat).Quo(big.NewRat(1, 2), at)})
		}
		lines = append(lines, line{new(big.Rat).Add(lines[0].d, big.NewRat(1, 9)), lines[0].t})
		corners := hull(envelope(slices.Clone(lines)))
		for k := range int64(65) {
			q := big.NewRat(k, 64)
			for _, q := range []*big.Rat{q, corners[int(k)%len(corners)].q} {
				want := one
				for _, l := range lines {
					if p := new(big.Rat).Mul(l.t, q); p.Add(p, l.d).Cmp(want) < 0 {
						want = p
					}
				}
				if got := heightAt(corners, q); got.Cmp(want) != 0 {
					t.Fatalf("%v: the polygon at %v is %v, want the minimum %v", lines, q, got, want)
				}
			}
		}
	}
}
