//go:build !js

package display

import (
	"encoding/base64"
	"fmt"
	"math"
	"strings"

	"github.com/mattn/go-sixel"
)

// detectImages recognises terminals by their environment variables, unless WORKBENCH_IMAGES is set. It reports no
// images within tmux or screen, which do not pass images through.
func detectImages(get func(string) string) Images {
	switch get("WORKBENCH_IMAGES") {
	case "kitty":
		return KittyImages
	case "iterm":
		return ITermImages
	case "sixel":
		return SixelImages
	case "none":
		return NoImages
	}
	term, program := get("TERM"), get("TERM_PROGRAM")
	switch {
	case get("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return NoImages
	case term == "xterm-kitty" || term == "xterm-ghostty":
		return KittyImages
	case program == "iterm.app" || program == "wezterm":
		return ITermImages
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "mlterm"):
		return SixelImages
	}
	return NoImages
}

// inline returns the picture in the terminal's image protocol.
func inline(d drawing, c Caps) string {
	columns, rows := c.cellsFor(d)
	if c.Images == SixelImages {
		w, _ := d.size()
		var b strings.Builder
		if err := sixel.NewEncoder(&b).Encode(renderImage(d, 72*float64(columns*c.CellWidth)/w)); err != nil {
			panic("display: " + err.Error()) // a strings.Builder never returns an error
		}
		return b.String() + "\n"
	}
	pixels, _ := renderPNG(d) // renderPNG fails only in browsers
	data := base64.StdEncoding.EncodeToString(pixels)
	if c.Images == ITermImages {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1:%s\a\n", len(pixels), columns, rows, data)
	}
	const longest = 4096 // of a chunk
	var b strings.Builder
	head := fmt.Sprintf("a=T,f=100,q=2,c=%d,r=%d,", columns, rows)
	for data != "" {
		n := min(longest, len(data))
		more := 0
		if n < len(data) {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", head, more, data[:n])
		data, head = data[n:], ""
	}
	return b.String() + "\n"
}

// cellsFor returns the number of columns and lines of a picture: at most the terminal's columns or 80, and at most the
// lines for one picture. The terminal receives both numbers, because kitty before 0.27 distorts a picture if only one
// is given. Of the largest widths it takes the width at which whole lines distort the picture least.
func (c Caps) cellsFor(d drawing) (columns, rows int) {
	w, h := d.size()
	slope := h / w * float64(c.CellWidth) / float64(c.CellHeight) // lines to a column
	widest := min(c.Width, 80, int(float64(c.Height)/slope))
	least := math.Inf(1)
	for n := widest; n > max(widest-8, 0); n-- {
		exact := float64(n) * slope
		whole := max(1, math.Round(exact))
		if gap := math.Abs(whole/exact - 1); gap < least && int(whole) <= c.Height {
			columns, rows, least = n, int(whole), gap
		}
	}
	return max(columns, 1), max(rows, 1)
}
