package continuous

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// progression is a run of positions from ≤ j ≤ to over one residue. The layer of position j is base + slope·j, and the
// slope is −1, 0 or 1. An end beyond ±farthest/2 means that the run is infinite on that side.
type progression struct{ from, to, base, slope int }

const farthest = 1 << 60

// progressions splits the function j ↦ L(ρ + jΔ), j of either sign, into runs of constant slope. At each site the layer
// is that of the site, since a site entered where no earlier one reached. Between two sites the layer climbs from one
// and descends to the other.
func progressions(sites []ringSite) []progression {
	if len(sites) == 0 {
		return nil
	}
	sites = slices.Clone(sites)
	slices.SortFunc(sites, func(a, b ringSite) int { return cmp.Compare(a.from, b.from) })
	var out []progression
	add := func(from, to, base, slope int) {
		if from <= to {
			out = append(out, progression{from, to, base, slope})
		}
	}
	add(-farthest, sites[0].from-1, sites[0].level+sites[0].from, -1)
	for i, s := range sites {
		add(s.from, s.to, s.level, 0)
		if i+1 == len(sites) {
			add(s.to+1, farthest, s.level-s.to, 1)
			break
		}
		t := sites[i+1]
		top := min((t.level-s.level+t.from+s.to)>>1, t.from-1)
		add(s.to+1, top, s.level-s.to, 1)
		add(top+1, t.from-1, t.level+t.from, -1)
	}
	return out
}

// run is a set of count positions of a residue. If even is true, all positions are in the layer level. Otherwise one
// position is in each layer from level on, and a count of 0 means infinitely many.
type run struct {
	level, count int
	even         bool
}

// up calls tell for the runs of positions j whose layer in a is one below the layer of j + turn in b.
func up(a, b []progression, turn int, tell func(run)) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		p, q := a[i], b[k]
		lo, hi := max(p.from, q.from-turn), min(p.to, q.to-turn)
		if lo <= hi {
			// The layers differ by gap + tilt·j.
			gap, tilt := q.base+q.slope*turn-p.base, q.slope-p.slope
			if tilt != 0 {
				if (1-gap)%tilt != 0 {
					lo, hi = 1, 0
				} else if j := (1 - gap) / tilt; lo <= j && j <= hi {
					lo, hi = j, j
				} else {
					lo, hi = 1, 0
				}
			} else if gap != 1 {
				lo, hi = 1, 0
			}
			if lo <= hi {
				tell(p.run(lo, hi))
			}
		}
		if p.to <= q.to-turn {
			i++
		} else {
			k++
		}
	}
}

// run returns the positions lo … hi of a progression as a run.
func (p progression) run(lo, hi int) run {
	count := hi - lo + 1
	if lo < -farthest/2 || hi > farthest/2 {
		count = 0
	}
	switch {
	case p.slope == 0:
		return run{p.base, count, true}
	case p.slope > 0:
		return run{p.base + lo, count, false}
	}
	return run{p.base - hi, count, false}
}

// steps returns an upper bound on Σ_j |z^L − z^L'| for two residues, where L is the layer of j over the first residue
// and L' that of j + turn over the second. sum returns Σ z^L over a run in the wanted unit.
func steps(a, b []progression, turn int, decay float64, sum func(run) float64) (total float64) {
	if len(a) == 0 || len(b) == 0 {
		for _, p := range slices.Concat(a, b) {
			total += sum(p.run(p.from, p.to))
		}
		return total
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		p, q := a[i], b[k]
		lo, hi := max(p.from, q.from-turn), min(p.to, q.to-turn)
		if lo <= hi {
			here, there := sum(p.run(lo, hi)), sum(q.run(lo+turn, hi+turn))
			if p.slope == q.slope {
				gap := q.base + q.slope*turn - p.base
				total += max(here, there) * -math.Expm1(-decay*math.Abs(float64(gap)))
			} else {
				total += here + there
			}
		}
		if p.to <= q.to-turn {
			i++
		} else {
			k++
		}
	}
	return total
}

// scale is the integer type of grid coordinates: int64 if the grid is coarse enough, big.Int otherwise.
type scale[T any] interface {
	plus(T) T
	minus(T) T
	cmp(T) int
	// circle returns turns and rest such that the number is turns·length + rest and 0 ≤ rest < length.
	circle(length T) (turns int, rest T)
	whole() *big.Int
}

// gridInt64 is a grid number so small that sums cannot overflow: see gridBits.
type gridInt64 int64

func (a gridInt64) plus(b gridInt64) gridInt64  { return a + b }
func (a gridInt64) minus(b gridInt64) gridInt64 { return a - b }
func (a gridInt64) whole() *big.Int             { return big.NewInt(int64(a)) }

func (a gridInt64) cmp(b gridInt64) int { return cmp.Compare(a, b) }

func (a gridInt64) circle(length gridInt64) (int, gridInt64) {
	turns, rest := a/length, a%length
	if rest < 0 {
		turns, rest = turns-1, rest+length
	}
	return int(turns), rest
}

// gridBig is a grid number of any size. Its big.Int is never changed.
type gridBig struct{ v *big.Int }

func (a gridBig) plus(b gridBig) gridBig  { return gridBig{new(big.Int).Add(a.v, b.v)} }
func (a gridBig) minus(b gridBig) gridBig { return gridBig{new(big.Int).Sub(a.v, b.v)} }
func (a gridBig) whole() *big.Int         { return a.v }
func (a gridBig) cmp(b gridBig) int       { return a.v.Cmp(b.v) }

func (a gridBig) circle(length gridBig) (int, gridBig) {
	turns, rest := new(big.Int).DivMod(a.v, length.v, new(big.Int))
	return int(turns.Int64()), gridBig{rest}
}

// gridBits returns an upper bound on the bits of the numbers in a ring with the given circumference and initial radius.
// No number exceeds 4·(circumference + radius).
func gridBits(circumference, radius *big.Int) int {
	return new(big.Int).Add(circumference, radius).BitLen() + 2
}
