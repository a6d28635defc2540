package script

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A file that cannot be read to its end is an error, and is not recorded.
func TestUnreadInputs(t *testing.T) {
	s := New(Vocabulary{})
	s.NoteInputs = true
	broken := errors.New("the disk is broken")
	tee, note := s.noted(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), DataFile{Name: "a"})
	if _, err := io.CopyN(io.Discard, tee, 2); err != nil {
		t.Fatal(err)
	}
	if err := note(); !errors.Is(err, broken) || len(s.Inputs()) > 0 {
		t.Errorf("%v, recorded %v", err, s.Inputs())
	}
}
