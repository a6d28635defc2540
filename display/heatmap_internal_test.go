package display

import (
	"math"
	"slices"
	"testing"
)

func TestEdgesLieBetweenCenters(t *testing.T) {
	h, err := NewHeatMap(HeatSpec{
		X: []float64{1, 10, 100}, LogX: true, Y: []float64{5, 3, 0},
		Values: [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := h.panels[0]
	close := func(a, b float64) bool { return math.Abs(a-b) < 1e-12*max(1, math.Abs(b)) }
	// Edges are the geometric means 10^½ and 10^1.5, with equal steps beyond the outer centres.
	if !close(p.x.lo, math.Pow(10, -0.5)) || !close(p.x.hi, math.Pow(10, 2.5)) || !close(p.xs[1], 1.0/3) {
		t.Errorf("x axis %+v, edges %v", p.x, p.xs)
	}
	// Centers 0, 3, 5 have edges −1.5, 1.5, 4, 6; rows are reversed to ascend.
	if !close(p.y.lo, -1.5) || !close(p.y.hi, 6) || !close(p.ys[1], 3/7.5) || !close(p.ys[2], 5.5/7.5) {
		t.Errorf("y axis %+v, edges %v", p.y, p.ys)
	}
	if p.values[0][0] != 7 {
		t.Errorf("the lowest row starts with %g, want 7", p.values[0][0])
	}
}

// Larger y is up, larger x is to the right, and pixels show the cell below them.
func TestSampleEnlarges(t *testing.T) {
	h, err := NewHeatMap(HeatSpec{Values: [][]float64{{0, 1}, {2, math.NaN()}}})
	if err != nil {
		t.Fatal(err)
	}
	got := h.panels[0].sample(h.scale, 4, 2)
	if want := []int16{250, 250, -1, -1, 0, 0, 125, 125}; !slices.Equal(got, want) {
		t.Errorf("sample = %v, want %v", got, want)
	}
}

// A pixel over many cells shows their mean on the scale, ignoring NaN. For ratios, this is the geometric mean.
func TestSampleAverages(t *testing.T) {
	one, nan := 1.0, math.NaN()
	h, err := NewHeatMap(HeatSpec{Values: [][]float64{{0.25, 4, nan, 4, nan, nan}}, Center: &one})
	if err != nil {
		t.Fatal(err)
	}
	got := h.panels[0].sample(h.scale, 3, 1)
	if want := []int16{125, 250, -1}; !slices.Equal(got, want) {
		t.Errorf("sample = %v, want %v", got, want)
	}
}

func TestScaleChoice(t *testing.T) {
	one, zero := 1.0, 0.0
	for _, test := range []struct {
		values []float64
		center *float64
		scale  Scale
		log    bool
	}{
		{[]float64{0.5, 3}, &one, ScaleAuto, true},
		{[]float64{0, 3}, &one, ScaleAuto, false},
		{[]float64{0.5, 3}, &zero, ScaleAuto, false},
		{[]float64{0.5, 3}, nil, ScaleAuto, false},
		{[]float64{0.5, 3}, &one, ScaleLinear, false},
		{[]float64{0.5, 3}, nil, ScaleLog, true},
	} {
		h, err := NewHeatMap(HeatSpec{Values: [][]float64{test.values}, Center: test.center, Scale: test.scale})
		if err != nil {
			t.Fatal(err)
		}
		if h.scale.log != test.log {
			t.Errorf("%+v: logarithmic is %t", test, h.scale.log)
		}
	}
}

// Cells get the largest equal number of pixels that fits. The test finds this number by trying every one. Cells fill
// the room if more than half of it would stay empty, or if cells have different widths.
func TestEqualCells(t *testing.T) {
	for _, unit := range []int{1, 2} {
		for cells := 1; cells <= 14; cells++ {
			edges := make([]float64, cells+1)
			for i := range edges {
				edges[i] = float64(i) / float64(cells)
			}
			for n := unit; n <= 40; n += unit {
				want := n
				for k := n; k >= 1; k-- {
					if k%cells == 0 && (n-k)%unit == 0 && k >= n-k {
						want = k
						break
					}
				}
				if got := equalCells(edges, n, unit); got != want {
					t.Errorf("%d cells on %d pixels in units of %d take %d, want %d", cells, n, unit, got, want)
				}
			}
			if cells > 1 {
				edges[1] *= 1.001
				if got := equalCells(edges, 2*cells+1, 1); got != 2*cells+1 {
					t.Errorf("%d cells of different widths take %d of %d pixels", cells, got, 2*cells+1)
				}
			}
		}
	}
}
