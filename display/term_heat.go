package display

import "math"

// The characters of a heat map without colour. On a diverging scale, digits stand below the centre, a dot at the centre
// and letters above it. On a sequential scale the characters grow darker.
const (
	divergingRamp  = "4321.abcd"
	sequentialRamp = ".:-=+*#%@"
	missingMark    = "?"
	noValue        = "no value"
)

// Terminal renders the heat map in character cells. With colour, a cell shows two values as half blocks; without
// it, one value as a character. The colour bar is below. Panels are side by side if each gets at least 34 columns.
// Caps.Height is that of one row of panels.
func (h *HeatMap) Terminal(c Caps) string {
	c = c.sized()
	if c.Images != NoImages {
		return inline(h, c)
	}
	h = h.flattened()
	title, titled := h.headings()
	across := min(h.columns, max(1, (c.Width+2)/36))
	rows := (len(h.panels) + across - 1) / across
	w := (c.Width - 2*(across-1)) / across

	top, legend := headingLines(title, c.Width), h.termLegend(c)
	starts := make([]int, rows)
	panels := make([]*screen, len(h.panels))
	for k, p := range h.panels {
		panels[k] = h.termPanel(p, w, max(c.Height-top-legend.h, 8), c, titled)
	}
	end := top
	for row := range starts {
		height := 0
		for _, p := range panels[row*across : min((row+1)*across, len(panels))] {
			height = max(height, p.h)
		}
		starts[row] = end
		end += height
		if row < rows-1 {
			end++ // a blank line
		}
	}
	s := newScreen(c.Width, end+legend.h, c)
	s.heading(title, 0)
	for k, p := range panels {
		s.draw(k%across*(w+2), starts[k/across], p)
	}
	s.draw(0, end, legend)
	return s.String()
}

func (h *HeatMap) termPanel(p *panel, w, height int, c Caps, titled bool) *screen {
	y, below := termOverhead(p.xlabel, p.ylabel)
	if titled && p.title != "" {
		y++
	}
	rows := max(1, height-y-below)
	if h.blocks(c) {
		rows = equalCells(p.ys, 2*rows, 2) / 2
	} else {
		rows = equalCells(p.ys, rows, 1)
	}
	f := newTermFrame(p.xlabel, p.ylabel, p.x, p.y, rows)
	area := equalCells(p.xs, w-f.gutter-1, 1)
	s := newScreen(w, y+rows+below, c)
	if titled {
		s.put(0, 0, shorten(p.title, w, c.Unicode), nil, true)
	}
	f.draw(s, f.gutter, y, area, rows)
	if h.blocks(c) {
		levels := p.sample(h.scale, area, 2*rows)
		for i := range rows {
			for x := range area {
				upper, lower := h.termColor(levels[2*i*area+x], c), h.termColor(levels[(2*i+1)*area+x], c)
				s.paint(f.gutter+x, y+i, halfBlock(upper, lower))
			}
		}
		return s
	}
	for i, level := range p.sample(h.scale, area, rows) {
		s.paint(f.gutter+i%area, y+i/area, h.rampCell(level, c))
	}
	return s
}

// equalCells returns the largest number of pixels, up to n, that is a multiple
// of unit and gives all cells the same number of pixels; n where that would
// leave more than half of the room empty.
func equalCells(edges []float64, n, unit int) int {
	if !uniform(edges) {
		return n
	}
	for k := n; 2*k >= n; k -= unit {
		if k%(len(edges)-1) == 0 {
			return k
		}
	}
	return n
}

// blocks reports whether cells are drawn as half blocks.
func (h *HeatMap) blocks(c Caps) bool { return c.Colors != NoColor && c.Unicode }

func halfBlock(upper, lower *rgb) cell {
	c := cell{text: "▀", fg: upper, bg: lower}
	if *upper == *lower {
		c.text, c.fg = " ", nil
	}
	return c
}

func (h *HeatMap) termColor(level int16, c Caps) *rgb {
	color := missing[1]
	if level >= 0 {
		color = h.scale.colors.at(int(level), c.Colors)
	}
	return &color
}

// rampCell shows a level as a character, or as a colour where the terminal has
// colours but no blocks.
func (h *HeatMap) rampCell(level int16, c Caps) cell {
	if c.Colors != NoColor {
		return cell{text: " ", bg: h.termColor(level, c)}
	}
	if level < 0 {
		return cell{text: missingMark}
	}
	ramp := sequentialRamp
	if h.scale.diverging {
		ramp = divergingRamp
	}
	k := int(math.Round(float64(level) / (levels - 1) * float64(len(ramp)-1)))
	return cell{text: ramp[k : k+1]}
}

// termLegend returns the colour bar with its ticks and its label.
func (h *HeatMap) termLegend(c Caps) *screen {
	const indent = 3
	w := min(c.Width-2*indent, 60)
	lines := 3 // a blank line first
	note := h.valueLabel
	if note != "" || h.gaps {
		lines++
	}
	s := newScreen(c.Width, lines, c)
	y := 1
	if note != "" || h.gaps {
		note = shorten(note, c.Width-2*indent-15, c.Unicode)
		s.put(indent, y, note, nil, false)
		if h.gaps {
			x := indent
			if note != "" {
				x += columns(note) + 3
			}
			s.paint(x, y, h.rampCell(-1, c))
			s.put(x+2, y, noValue, nil, false)
		}
		y++
	}
	for x := range w {
		level := int16(math.Round(h.scale.barLevel((float64(x) + 0.5) / float64(w))))
		s.paint(indent+x, y, h.rampCell(level, c))
	}
	for _, t := range h.scale.barTicks(float64(w), 2, 8, termWidth) {
		x := indent + place(h.scale.at(t.value), w) - columns(t.label)/2
		s.put(max(0, min(x, c.Width-columns(t.label))), y+1, t.label, nil, false)
	}
	return s
}

// flattened returns the heat map with labels as a terminal shows them.
func (h *HeatMap) flattened() *HeatMap {
	out := *h
	out.title, out.valueLabel, out.panels = flat(h.title), flat(h.valueLabel), nil
	for _, p := range h.panels {
		q := *p
		q.title, q.xlabel, q.ylabel = flat(p.title), flat(p.xlabel), flat(p.ylabel)
		out.panels = append(out.panels, &q)
	}
	return &out
}
