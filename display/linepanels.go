package display

import (
	"cmp"
	"fmt"

	"dpworkbench/internal/parameter"
)

// PanelsSpec describes line plots side by side, each with its own axes.
type PanelsSpec struct {
	Title  string
	Panels []LineSpec // their sizes are not used

	Width, Height float64 // page size in points; 0 is the default size
}

// LinePanels is line plots side by side.
type LinePanels struct {
	picture
	title         string
	panels        []*LinePlot
	width, height float64
}

// NewLinePanels returns line plots side by side. Errors are those of NewLinePlot, with the number of the panel.
func NewLinePanels(s PanelsSpec) (*LinePanels, error) {
	if len(s.Panels) == 0 {
		return nil, parameter.Errorf("panels is empty, want at least one")
	}
	if err := checkSize(s.Width, s.Height); err != nil {
		return nil, err
	}
	out := &LinePanels{title: clean(s.Title), width: s.Width, height: s.Height}
	out.picture = picture{out}
	for k, spec := range s.Panels {
		spec.Width, spec.Height = 0, 0
		l, err := NewLinePlot(spec)
		if err != nil {
			return nil, fmt.Errorf("panels[%d]: %w", k, err)
		}
		out.panels = append(out.panels, l)
	}
	return out, nil
}

func (g *LinePanels) size() (w, h float64) {
	w = cmp.Or(g.width, max(468, 234*float64(len(g.panels))))
	return w, cmp.Or(g.height, 40+0.88*w/float64(len(g.panels)))
}

func (g *LinePanels) draw(p *page) {
	all := box{margin, margin, p.w - margin, p.h - margin}
	all.y1 = p.heading(g.title, all.x0, all.y1, all.w(), titleSize)
	n := float64(len(g.panels))
	w := (all.w() - panelGap*(n-1)) / n
	frames, boxes := make([]*frame, len(g.panels)), make([]box, len(g.panels))
	low, high := all.y0, all.y1
	for k, l := range g.panels {
		x := all.x0 + float64(k)*(w+panelGap)
		area := l.drawHead(p, box{x, all.y0, x + w, all.y1}, panelSize)
		frames[k] = l.frame()
		boxes[k] = l.frameBox(p, frames[k], area)
		low, high = max(low, boxes[k].y0), min(high, boxes[k].y1)
	}
	for k, l := range g.panels { // the axes of all panels align
		if !l.equal {
			boxes[k].y0, boxes[k].y1 = low, high
		}
		l.drawBody(p, frames[k], boxes[k])
	}
}

// Terminal renders the panels side by side if each gets at least 34 columns, and otherwise one below the other.
// Caps.Height is the height of one row of panels.
func (g *LinePanels) Terminal(c Caps) string {
	c = c.sized()
	if c.Images != NoImages {
		return inline(g, c)
	}
	title := flat(g.title)
	top := headingLines(title, c.Width)
	across := min(len(g.panels), max(1, (c.Width+2)/36))
	part := c
	part.Width, part.Height = (c.Width-2*(across-1))/across, max(8, c.Height-top)
	var panels []*screen
	end := top
	for k, l := range g.panels {
		panels = append(panels, l.flattened().screen(part))
		if k%across == 0 && k > 0 {
			end++ // a blank line
		}
		if last := k == len(g.panels)-1; last || k%across == across-1 {
			end += tallest(panels[k-k%across:])
		}
	}
	s := newScreen(c.Width, end, c)
	s.heading(title, 0)
	y := top
	for k, panel := range panels {
		if k%across == 0 && k > 0 {
			y += tallest(panels[k-across:k]) + 1
		}
		s.draw(k%across*(part.Width+2), y, panel)
	}
	return s.String()
}

// tallest returns the height of the tallest screen.
func tallest(screens []*screen) int {
	h := 0
	for _, s := range screens {
		h = max(h, s.h)
	}
	return h
}
