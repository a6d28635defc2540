package display

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// transform maps coordinates of a canvas to the page: a translation, then a rotation. SVG and PDF measure from the upper
// left corner, vg from the lower left. The method at converts between them, so that files have plain positions without
// nested groups.
type transform struct {
	height     float64 // of the page
	x, y, turn float64
	stack      []transform
}

// at returns p in points from the upper left corner.
func (o *transform) at(p vg.Point) (x, y float64) {
	sin, cos := math.Sincos(o.turn)
	px, py := p.X.Points(), p.Y.Points()
	return o.x + px*cos - py*sin, o.height - (o.y + px*sin + py*cos)
}

// Push saves the transform.
func (o *transform) Push() { o.stack = append(o.stack, *o) }

// Pop returns to the transform last saved.
func (o *transform) Pop() { *o = o.stack[len(o.stack)-1] }

// Translate moves the origin to p.
func (o *transform) Translate(p vg.Point) {
	x, y := o.at(p)
	o.x, o.y = x, o.height-y
}

// Rotate turns by an angle in radians, counterclockwise.
func (o *transform) Rotate(angle float64) { o.turn += angle }

// Scale panics: no page of this package scales.
func (o *transform) Scale(x, y float64) { panic("display: scaling a page") }

// pen receives a path in points from the upper left corner.
type pen interface {
	MoveTo(x, y float64)
	LineTo(x, y float64)
	CurveBezierCubicTo(x1, y1, x2, y2, x3, y3 float64)
	ClosePath()
}

// trace draws a path with a pen, arcs as Bézier curves of at most a quarter turn,
// which stay within 0.03% of the radius.
func (o *transform) trace(path vg.Path, to pen) {
	for _, part := range path {
		x, y := o.at(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			to.MoveTo(x, y)
		case vg.LineComp:
			to.LineTo(x, y)
		case vg.ArcComp:
			o.arc(part, to)
		case vg.CloseComp:
			to.ClosePath()
		default:
			panic("display: a curve in a path")
		}
	}
}

func (o *transform) arc(part vg.PathComp, to pen) {
	n := max(1, int(math.Ceil(math.Abs(part.Angle)/(math.Pi/2)-1e-9)))
	step := part.Angle / float64(n)
	pull := 4.0 / 3 * math.Tan(step/4)
	on := func(angle, along float64) (x, y float64) {
		sin, cos := math.Sincos(angle)
		return o.at(vg.Point{
			X: part.Pos.X + part.Radius*vg.Length(cos-along*sin),
			Y: part.Pos.Y + part.Radius*vg.Length(sin+along*cos),
		})
	}
	for k := range n {
		a := part.Start + float64(k)*step
		x1, y1 := on(a, pull)
		x2, y2 := on(a+step, -pull)
		x3, y3 := on(a+step, 0)
		to.CurveBezierCubicTo(x1, y1, x2, y2, x3, y3)
	}
}
