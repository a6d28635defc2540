package data

import (
	"bufio"
	"errors"
	"strings"
	"testing"
)

// A line of words is less than a mebibyte.
func TestLongLinesOfWords(t *testing.T) {
	for n, fits := range map[int]bool{1<<20 - 1: true, 1 << 20: false, 3 << 19: false} {
		rows, err := ReadWords(strings.NewReader(strings.Repeat("x", n) + "\n"))
		if fits != (err == nil && len(rows) == 1) || !fits && !errors.Is(err, bufio.ErrTooLong) {
			t.Errorf("a line of %d bytes: %d rows, %v", n, len(rows), err)
		}
	}
}
