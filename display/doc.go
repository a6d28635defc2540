// Package display renders tables, line plots and heat maps in one style: as SVG, PNG and PDF for papers, as HTML
// and CSV, and as text for a terminal of given width and colour.
//
// NewTable, NewLinePlot, NewLinePanels, NewHeatMap and NewGrid check a specification, copy it, and make an immutable
// value. Rendering is a pure function of the value: it gives the same bytes on every run and machine, with no time stamp
// and no font of the system.
//
// # Style
//
// Text is sans-serif, the grid light, and ticks are at 1, 2 or 5 times a power of ten. Colours can be distinguished
// with any common colour vision: line colours follow Okabe and Ito. The lightness of the sequential map rises
// evenly from dark violet to yellow. That of the diverging map, from blue through near-white to brown, falls evenly
// and equally on both sides. The terminal uses the same maps.
package display

// Figure is the common interface of tables and pictures.
type Figure interface {
	// Encode returns the figure in the format that the extension of path names. One
	// that the figure cannot be written in is an error wrapping evidence.ErrParameter.
	Encode(path string) ([]byte, error)

	// Terminal renders the figure as lines of text, each ending in a newline
	// and none wider than the terminal.
	Terminal(c Caps) string
}

// Picture is a figure that can be drawn.
type Picture interface {
	Figure
	SVG() ([]byte, error)
	PNG() ([]byte, error)
	PDF() ([]byte, error)
}

var (
	_ Figure  = (*Table)(nil)
	_ Picture = (*LinePlot)(nil)
	_ Picture = (*LinePanels)(nil)
	_ Picture = (*HeatMap)(nil)
)
