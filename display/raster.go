package display

import (
	"math"
	"sort"
)

// sample returns the panel as w × h pixels, row by row from the top. A pixel is a level of the colour map, or −1 if it
// has no value. A pixel shows the cell at its centre. If several cells have their centre in the pixel, it shows the
// mean level of the cells with a value.
func (p *panel) sample(s *colorScale, w, h int) []int16 {
	level := make([][]float64, len(p.values))
	for i, row := range p.values {
		level[i] = make([]float64, len(row))
		for j, v := range row {
			level[i][j] = s.level(v)
		}
	}
	columns, rows := pixels(p.xs, w), pixels(p.ys, h)
	out := make([]int16, w*h)
	for py := range h {
		r := rows[h-1-py]
		for px := range w {
			c := columns[px]
			sum, count := 0.0, 0
			for _, row := range level[r[0]:r[1]] {
				for _, v := range row[c[0]:c[1]] {
					if !math.IsNaN(v) {
						sum += v
						count++
					}
				}
			}
			out[py*w+px] = -1
			if count > 0 {
				out[py*w+px] = int16(math.Round(sum / float64(count)))
			}
		}
	}
	return out
}

// pixels returns for each of n equal pixels of [0, 1] the half-open range of
// cells that it shows.
func pixels(edges []float64, n int) [][2]int {
	cells := len(edges) - 1
	middle := func(i int) float64 { return (edges[i] + edges[i+1]) / 2 }
	out := make([][2]int, n)
	for k := range out {
		lo, hi := float64(k)/float64(n), float64(k+1)/float64(n)
		first := sort.Search(cells, func(i int) bool { return middle(i) >= lo })
		end := sort.Search(cells, func(i int) bool { return middle(i) >= hi })
		if first == end {
			at := (lo + hi) / 2
			first = min(sort.Search(cells, func(i int) bool { return edges[i+1] > at }), cells-1)
			end = first + 1
		}
		out[k] = [2]int{first, end}
	}
	return out
}

// uniform reports whether all cells between the edges have the same width.
func uniform(edges []float64) bool {
	width := 1 / float64(len(edges)-1)
	for i := 1; i < len(edges); i++ {
		if math.Abs(edges[i]-edges[i-1]-width) > 1e-6*width {
			return false
		}
	}
	return true
}

// resolution returns the number of pixels for cells, at least want if that is possible without waste. Equal cells
// get an integer number of pixels each, so that all have the same width.
func resolution(edges []float64, want int) int {
	cells := len(edges) - 1
	if !uniform(edges) || cells > 2*want {
		return want
	}
	return cells * ((want + cells - 1) / cells)
}
