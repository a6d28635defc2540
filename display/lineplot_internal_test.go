package display

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

// With equal axes, a unit has the same length on both axes, whatever the values.
func TestEqualAxes(t *testing.T) {
	for _, width := range []float64{1e-3, 1, 50} {
		l, err := NewLinePlot(LineSpec{Equal: true, Title: "Ellipse", XLabel: "x", YLabel: "y", Series: []Series{
			{Name: "ellipse", X: []float64{-width, 0, width, 0, -width}, Y: []float64{0, 2, 0, -2, 0}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		c := &svgCanvas{transform: transform{height: 432}}
		vg.Initialize(c)
		b := l.frameBox(newPage(c, 396, 432, 0), &frame{xlabel: l.xlabel, ylabel: l.ylabel, x: l.x, y: l.y}, box{margin, margin, 396 - margin, 400})
		if math.Abs(b.w()-b.h()) > 1e-9 || b.w() < 250 {
			t.Errorf("width %g: the frame is %g × %g points, want a large square", width, b.w(), b.h())
		}
		origin, right, up := b.place(l.spot(0, 0)), b.place(l.spot(width, 0)), b.place(l.spot(0, width))
		if dx, dy := (right.X - origin.X).Points(), (up.Y - origin.Y).Points(); !(dx > 0) || math.Abs(dx/dy-1) > 1e-9 {
			t.Errorf("width %g: a unit is %g points on x and %g on y", width, dx, dy)
		}
	}
}
