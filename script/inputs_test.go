package script_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"dpworkbench/script"
)

// ReadFile returns an error for a file that cannot be read to its end, and does not record it. The test reads a folder,
// which can be opened but not read.
func TestUnreadInputs(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.NoteInputs = true
	_, err := s.ReadFile(script.DataFile{Name: "a", Path: t.TempDir()}, func(io.Reader) (any, error) { return nil, nil })
	if broken := new(fs.PathError); !errors.As(err, &broken) || broken.Op != "read" || len(s.Inputs()) > 0 {
		t.Errorf("%v, recorded %v", err, s.Inputs())
	}
}
