// Command termshot draws a terminal's screen, text with colour sequences as
// "tmux capture-pane -e -p" prints it, as an SVG picture of 80 by 24 characters.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	screen, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = os.Stdout.Write(draw(string(screen), 80, 24))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "termshot:", err)
		os.Exit(1)
	}
}
