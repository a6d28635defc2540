package planes

import "math"

// A sector is the cone of three unit vectors, with a bound on the norm of those points of
// it that cuts allow: x = Σ tᵢvᵢ with t ≥ 0 has norm at most Σ tᵢ, and for a cut
// Σ tᵢ min k·v ≤ k·x ≤ level.
type sector struct {
	corners [3][3]float64
	bound   float64
}

func (t sector) center() [3]float64 {
	var sum [3]float64
	for _, v := range t.corners {
		for i := range sum {
			sum[i] += v[i]
		}
	}
	return unit3(sum)
}

// halves splits the sector at the middle of its longest edge.
func (t sector) halves() (a, b sector) {
	longest, at := -1.0, 0
	for i := range 3 {
		u, v := t.corners[i], t.corners[(i+1)%3]
		if d := math.Hypot(math.Hypot(u[0]-v[0], u[1]-v[1]), u[2]-v[2]); d > longest {
			longest, at = d, i
		}
	}
	u, v := t.corners[at], t.corners[(at+1)%3]
	middle := unit3([3]float64{u[0] + v[0], u[1] + v[1], u[2] + v[2]})
	a, b = t, t
	a.corners[(at+1)%3], b.corners[at] = middle, middle
	return a, b
}

func unit3(v [3]float64) [3]float64 {
	n := math.Sqrt(dot3(v, v))
	return [3]float64{v[0] / n, v[1] / n, v[2] / n}
}

func dot3(u, v [3]float64) float64 { return u[0]*v[0] + u[1]*v[1] + u[2]*v[2] }

// sectors is a heap by descending bounds.
type sectors []sector

func (s sectors) Len() int           { return len(s) }
func (s sectors) Less(i, j int) bool { return s[i].bound > s[j].bound }
func (s sectors) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sectors) Push(x any)        { *s = append(*s, x.(sector)) }
func (s *sectors) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}
