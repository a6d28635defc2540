package script

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"sync"
)

// inputs are the data files that a session has read while computing a shard. A shard computed from other data is a
// different one.
type inputs struct {
	mu   sync.Mutex
	sums map[string]string // SHA-256 by name, "absent" if a file was not found
	path map[string]string // SHA-256 by place
}

// add notes a file under the name that the script has for it.
func (in *inputs) add(name, path, sum string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.sums == nil {
		in.sums, in.path = make(map[string]string), make(map[string]string)
	}
	if before, ok := in.path[path]; ok && before != sum {
		return fmt.Errorf("%s has changed since the script first read it", path)
	}
	if before, ok := in.sums[name]; ok && before != sum {
		return fmt.Errorf("%s names two different files in this script", name)
	}
	in.sums[name], in.path[path] = sum, sum
	return nil
}

// Inputs returns the SHA-256 of every data file that the session has read, in
// hexadecimal, by the name that the script has for it, and "absent" for a data
// set that it did without. They are kept where NoteInputs is set.
func (s *Session) Inputs() map[string]string {
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	return maps.Clone(s.inputs.sums)
}

// noted returns a reader that copies r, and a function that records the checksum when all of it has been read.
func (s *Session) noted(r io.Reader, file DataFile) (tee io.Reader, note func() error) {
	if !s.NoteInputs {
		return r, func() error { return nil }
	}
	h := sha256.New()
	return io.TeeReader(r, h), func() error {
		if _, err := io.Copy(h, r); err != nil { // the rest, which the parser did not need
			return err
		}
		return s.inputs.add(file.Name, file.Path, hex.EncodeToString(h.Sum(nil)))
	}
}

// Missed records a data set that was not found.
func (s *Session) Missed(name string) error {
	if !s.NoteInputs {
		return nil
	}
	return s.inputs.add(name, "", "absent")
}

// inputName returns the name of a file as a script has it: a library's files
// are told from the script's.
func (s *Session) inputName(path, script string) string {
	if _, library := s.modules[script]; library {
		return path + " of " + filepath.Base(script)
	}
	return path
}
