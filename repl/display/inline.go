package display

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Images says how a terminal takes pictures among its text.
type Images int

const (
	NoImages    Images = iota
	KittyImages        // the graphics protocol of kitty (sw.kovidgoyal.net/kitty/graphics-protocol)
	ITermImages        // the inline images of iTerm2 (iterm2.com/documentation-images.html)
)

// detectImages knows terminals by what they set. Within tmux or screen the
// picture would not get through.
func detectImages(get func(string) string) Images {
	term, program := get("TERM"), get("TERM_PROGRAM")
	switch {
	case get("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return NoImages
	case term == "xterm-kitty" || term == "xterm-ghostty":
		return KittyImages
	case program == "iterm.app" || program == "wezterm":
		return ITermImages
	}
	return NoImages
}

// inline returns the picture as the terminal takes it, as wide as the terminal
// but no wider than 80 columns.
func inline(d drawing, c Caps) (string, error) {
	pixels, err := renderPNG(d)
	if err != nil {
		return "", err
	}
	columns := min(c.Width, 80)
	data := base64.StdEncoding.EncodeToString(pixels)
	if c.Images == ITermImages {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;preserveAspectRatio=1:%s\a\n", len(pixels), columns, data), nil
	}
	const longest = 4096 // of a chunk
	var b strings.Builder
	head := fmt.Sprintf("a=T,f=100,q=2,c=%d,", columns)
	for data != "" {
		n := min(longest, len(data))
		more := 0
		if n < len(data) {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", head, more, data[:n])
		data, head = data[n:], ""
	}
	return b.String() + "\n", nil
}
