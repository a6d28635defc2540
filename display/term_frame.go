package display

// termFrame is a pair of axes on a screen.
type termFrame struct {
	xlabel, ylabel string
	x, y           axis
	gutter         int // columns left of the plotting area
	yticks         []tick
}

// newTermFrame prepares axes for a plotting area of the given height.
func newTermFrame(xlabel, ylabel string, x, y axis, height int) *termFrame {
	f := &termFrame{xlabel: xlabel, ylabel: ylabel, x: x, y: y}
	most := max(2, (height+1)/2)
	if n := len(y.centers); n <= height {
		most = max(most, n)
	}
	f.yticks = y.fit(float64(height), 0, most, false, func(string) float64 { return 1 - 1e-9 })
	for _, t := range f.yticks {
		f.gutter = max(f.gutter, columns(t.label)+2)
	}
	f.gutter = max(f.gutter, 3)
	return f
}

// termOverhead returns the lines that axes need above and below their area.
func termOverhead(xlabel, ylabel string) (above, below int) {
	below = 2
	if xlabel != "" {
		below++
	}
	if ylabel != "" {
		above = 1
	}
	return above, below
}

// draw draws the axes around the w × h area whose first cell is (x0, y0).
func (f *termFrame) draw(s *screen, x0, y0, w, h int) {
	bar, mark, corner, dash, down := "|", "+", "+", "-", "+"
	if s.caps.Unicode {
		bar, mark, corner, dash, down = "│", "┤", "└", "─", "┬"
	}
	if f.ylabel != "" {
		s.put(x0-f.gutter, y0-1, shorten(f.ylabel, w+f.gutter, s.caps.Unicode), nil, false)
	}
	for y := range h {
		s.put(x0-1, y0+y, bar, nil, false)
	}
	for _, t := range f.yticks {
		y := y0 + h - 1 - place(f.y.at(t.value), h)
		s.put(x0-1, y, mark, nil, false)
		s.put(x0-2-columns(t.label), y, t.label, nil, false)
	}
	s.put(x0-1, y0+h, corner, nil, false)
	for x := range w {
		s.put(x0+x, y0+h, dash, nil, false)
	}
	for _, t := range f.x.fit(float64(w), 2, max(2, w/5), false, termWidth) {
		x := x0 + place(f.x.at(t.value), w)
		s.put(x, y0+h, down, nil, false)
		left := x - columns(t.label)/2
		left = max(0, min(left, s.w-columns(t.label)))
		s.put(left, y0+h+1, t.label, nil, false)
	}
	if f.xlabel != "" {
		label := shorten(f.xlabel, w+f.gutter, s.caps.Unicode)
		left := x0 + (w-columns(label))/2
		s.put(max(x0-f.gutter, left), y0+h+2, label, nil, false)
	}
}

// place returns which of n cells holds the fraction t.
func place(t float64, n int) int { return max(0, min(int(t*float64(n)), n-1)) }

func termWidth(s string) float64 { return float64(columns(s)) }

// heading writes a bold title from line y on and returns the line after it.
func (s *screen) heading(title string, y int) int {
	if title == "" {
		return y
	}
	for _, line := range wrapAtMost(title, 3, s.w, columns) {
		s.put(0, y, line, nil, true)
		y++
	}
	return y
}

// headingLines returns how many lines a title takes.
func headingLines(title string, w int) int {
	if title == "" {
		return 0
	}
	return len(wrapAtMost(title, 3, w, columns))
}
