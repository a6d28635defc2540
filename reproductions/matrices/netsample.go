package matrices

import (
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// level returns value k of row i.
func (n Net) level(i, k int) float64 {
	h := n.HalfWidths[i]
	return -h + 2*h*float64(k)/float64(n.Levels-1)
}

// check requires data in the box.
func (n Net) check(x mat.Matrix) error {
	if err := checkRecords(x); err != nil {
		return err
	}
	m := len(n.HalfWidths)
	if r, c := x.Dims(); r != m || c != n.Records {
		return parameter.Errorf("x is %d×%d, want %d×%d", r, c, m, n.Records)
	}
	for i, h := range n.HalfWidths {
		for k := range n.Records {
			if v := x.At(i, k); math.Abs(v) > h {
				return parameter.Errorf("x[%d][%d] = %g, want it within the box, from %g to %g", i, k, v, -h, h)
			}
		}
	}
	return nil
}

// Simulate draws a matrix of the net in float64. For Sum it draws entry by entry. For Max it first sorts the distances
// of all entries' values from the data. It returns an error wrapping evidence.ErrParameter if x has another shape or
// leaves the box.
func (n Net) Simulate(x mat.Matrix, src rand.Source) (*mat.Dense, error) {
	if err := n.check(x); err != nil {
		return nil, err
	}
	if n.Quality == Sum {
		return n.simulateSum(x, rand.New(src)), nil
	}
	return n.simulateMax(x, rand.New(src))
}

func (n Net) simulateSum(x mat.Matrix, rng *rand.Rand) *mat.Dense {
	m, rate := len(n.HalfWidths), n.rate()
	out := mat.NewDense(m, n.Records, nil)
	sums := make([]float64, n.Levels)
	for i := range m {
		for k := range n.Records {
			nearest := math.Inf(1)
			for l := range sums {
				sums[l] = math.Abs(n.level(i, l) - x.At(i, k))
				nearest = math.Min(nearest, sums[l])
			}
			total := 0.0
			for l, distance := range sums { // the nearest value has weight 1, at any rate
				total += math.Exp(-rate * (distance - nearest))
				sums[l] = total
			}
			u := rng.Float64() * total
			at, _ := slices.BinarySearchFunc(sums, u, func(s, u float64) int {
				if s > u {
					return 1
				}
				return -1
			})
			out.Set(i, k, n.level(i, at))
		}
	}
	return out
}

// reach is a value of an entry and its distance from the data.
type reach struct {
	distance     float64
	entry, level int32
}

// simulateMax draws the entry and value with the largest distance, then the other entries among the values with smaller
// distances. Let c_e be the number of values of entry e up to a distance. The next value of entry e adds Π c/c_e
// matrices, where Π c is the product over all entries.
func (n Net) simulateMax(x mat.Matrix, rng *rand.Rand) (*mat.Dense, error) {
	m, rate := len(n.HalfWidths), n.rate()
	entries := m * n.Records
	if err := memory.Need("the values of all entries by distance", 32*float64(entries)*float64(n.Levels)); err != nil {
		return nil, err
	}
	steps := make([]reach, 0, entries*n.Levels)
	for i := range m {
		for k := range n.Records {
			for l := range n.Levels {
				steps = append(steps, reach{math.Abs(n.level(i, l) - x.At(i, k)), int32(i*n.Records + k), int32(l)})
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b reach) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	counts := make([]int, entries)
	empty, log := entries, 0.0 // Σ ln c over entries with at least one value so far
	logs := make([]float64, len(steps))
	most := math.Inf(-1)
	for at, s := range steps {
		logs[at] = math.Inf(-1)
		c := counts[s.entry]
		counts[s.entry]++
		if c == 0 {
			if empty--; empty == 0 {
				logs[at] = log - rate*s.distance
			}
			continue
		}
		if empty == 0 {
			logs[at] = log - math.Log(float64(c)) - rate*s.distance
		}
		log += math.Log1p(1 / float64(c))
	}
	for _, v := range logs {
		most = math.Max(most, v)
	}
	total := 0.0
	for at := range logs {
		total += math.Exp(logs[at] - most)
		logs[at] = total
	}
	last, _ := slices.BinarySearchFunc(logs, rng.Float64()*total, func(s, u float64) int {
		if s > u {
			return 1
		}
		return -1
	})
	// Draw one of the values so far for every entry, by reservoir sampling.
	clear(counts)
	chosen := make([]int32, entries)
	for _, s := range steps[:last] {
		counts[s.entry]++
		if rng.IntN(counts[s.entry]) == 0 {
			chosen[s.entry] = s.level
		}
	}
	chosen[steps[last].entry] = steps[last].level
	out := mat.NewDense(m, n.Records, nil)
	for e, l := range chosen {
		i := e / n.Records
		out.Set(i, e%n.Records, n.level(i, int(l)))
	}
	return out, nil
}
