package networks

import (
	"math"

	"dpworkbench/internal/lists"
)

// cluster assigns points to at most k clusters by Lloyd's algorithm. The first center is the first point. Each further
// center is the point farthest from all centers so far. Ties go to the smaller number, and there are at most a hundred
// rounds. It returns the cluster of every point, numbered by first appearance.
func cluster(points [][]int, k int) []int {
	n := len(points)
	center := [][]float64{floats(points[0])}
	near := make([]float64, n)
	for i, p := range points {
		near[i] = distance(p, center[0])
	}
	for len(center) < min(k, n) {
		far := 0
		for i := range near {
			if near[i] > near[far] {
				far = i
			}
		}
		if near[far] == 0 { // all points are centers
			break
		}
		c := floats(points[far])
		center = append(center, c)
		for i, p := range points {
			near[i] = min(near[i], distance(p, c))
		}
	}
	out := make([]int, n)
	for round := range 100 {
		moved := round == 0
		for i, p := range points {
			best, least := 0, math.Inf(1)
			for c, at := range center {
				if d := distance(p, at); d < least {
					best, least = c, d
				}
			}
			moved = moved || out[i] != best
			out[i] = best
		}
		if !moved {
			break
		}
		size := make([]float64, len(center))
		sum := lists.Of(len(center), func(int) []float64 { return make([]float64, len(points[0])) })
		for i, p := range points {
			size[out[i]]++
			for j, v := range p {
				sum[out[i]][j] += float64(v)
			}
		}
		for c := range center {
			for j := range center[c] {
				if size[c] > 0 {
					center[c][j] = sum[c][j] / size[c]
				}
			}
		}
	}
	return renumbered(out)
}

// renumbered numbers clusters by first appearance.
func renumbered(of []int) []int {
	names := map[int]int{}
	out := make([]int, len(of))
	for i, c := range of {
		if _, ok := names[c]; !ok {
			names[c] = len(names)
		}
		out[i] = names[c]
	}
	return out
}

func floats(p []int) []float64 {
	return lists.Of(len(p), func(i int) float64 { return float64(p[i]) })
}

// distance returns the squared Euclidean distance.
func distance(p []int, c []float64) float64 {
	var sum float64
	for j, v := range p {
		d := float64(v) - c[j]
		sum += float64(d * d)
	}
	return sum
}
