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

// inputs records the data files that a session has read while computing a shard. Shards computed from different data
// cannot be merged.
type inputs struct {
	mu   sync.Mutex
	sums map[string]string // SHA-256 by name, "absent" if a file was not found
	path map[string]string // SHA-256 by path
}

// add records the checksum of a file under the name that the script uses for it. A file that has changed is an error,
// and so is a name that already stands for a different file.
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

// Inputs returns the checksums of the data files that the session has read, by the names that the script uses: the
// SHA-256 in hexadecimal, or "absent" for a file that was not found. Inputs is empty unless NoteInputs is set.
func (s *Session) Inputs() map[string]string {
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	return maps.Clone(s.inputs.sums)
}

// noted returns a reader of r that also computes a checksum, and a function that reads the rest of r and records the
// checksum.
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

// inputName returns the name under which a file is recorded: the path as the script writes it. For a path in a library,
// the library's file name is added, because a script may use the same path for another file.
func (s *Session) inputName(path, script string) string {
	if _, library := s.modules[script]; library {
		return path + " of " + filepath.Base(script)
	}
	return path
}
