package continuous

import (
	"math/rand/v2"
	"testing"
)

// randomSites are disjoint stretches of positions with layers that no step between two is steeper than.
func randomSites(src *rand.Rand) []ringSite {
	var out []ringSite
	at, level := src.IntN(9)-12, src.IntN(4)
	for range 1 + src.IntN(4) {
		to := at + src.IntN(3)
		out = append(out, ringSite{from: at, to: to, level: level})
		gap := 1 + src.IntN(5)
		level = max(0, level+src.IntN(2*gap+1)-gap)
		at = to + gap
	}
	src.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// layer is the least of the sites' layers, each with the distance.
func layer(sites []ringSite, j int) int {
	least := 1 << 30
	for _, s := range sites {
		least = min(least, s.level+max(0, s.from-j, j-s.to))
	}
	return least
}

// Progressions have each position's layer, and runs of those that rise by one from one residue to the next have all
// of them: by visiting positions, up to a layer that none beyond ±80 is in.
func TestProgressionsByVisiting(t *testing.T) {
	src := rand.New(rand.NewPCG(12, 1))
	const wide, deep = 80, 40
	crossing := 0
	for range 400 {
		a, b := randomSites(src), randomSites(src)
		p, q := progressions(a), progressions(b)
		for j := -wide; j <= wide; j++ {
			held := 0
			for _, s := range p {
				if s.from <= j && j <= s.to {
					if held++; s.base+s.slope*j != layer(a, j) {
						t.Fatalf("%v: progression %+v has layer %d at %d, want %d", a, s, s.base+s.slope*j, j, layer(a, j))
					}
				}
			}
			if held != 1 {
				t.Fatalf("%v: %d progressions hold %d", a, held, j)
			}
		}
		turn := src.IntN(7) - 3
		got, want := make(map[int]int), make(map[int]int)
		up(p, q, turn, func(r run) {
			switch {
			case r.even:
				got[r.level] += r.count
			default:
				for k := 0; r.level+k <= deep && (r.count == 0 || k < r.count); k++ {
					got[r.level+k]++
				}
			}
		})
		for j := -wide; j <= wide; j++ {
			if l := layer(a, j); l <= deep && layer(b, j+turn) == l+1 {
				want[l]++
				if layer(a, j-1)-l != layer(b, j+turn-1)-l-1 && layer(a, j+1)-l != layer(b, j+turn+1)-l-1 {
					crossing++
				}
			}
		}
		for l := range deep + 1 {
			if got[l] != want[l] {
				t.Fatalf("%v and %v turned by %d: %d positions rise by one from layer %d, want %d", a, b, turn, got[l], l, want[l])
			}
		}
	}
	if crossing < 20 {
		t.Errorf("progressions of different slopes met %d times", crossing)
	}
}
