// Package data finds the public data sets that notebooks and tests use. It downloads nothing: it searches a list of
// folders.
package data

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dpworkbench/internal/nearest"
)

// Kind says how a data set is read.
type Kind string

// Table is comma-separated values, Edges has two integers per line, CIFAR is read by [ReadCIFAR], Sparse by
// [ReadSVMLight]; Text and Binary are anything else.
const (
	Table  Kind = "table"
	Edges  Kind = "edges"
	Text   Kind = "text"
	Binary Kind = "binary"
	CIFAR  Kind = "cifar"
	Sparse Kind = "sparse"
)

// Set is a data set in one file.
type Set struct {
	Name        string
	Path        string // below the data folder, with slashes
	Kind        Kind
	Header      int // lines before the first row of a table
	Source      string
	Licence     string
	Description string
	SHA256      string // "" if the project had no copy
}

// Way returns instructions for obtaining a set of which the project had no copy, and "" for other sets.
func (s Set) Way() string { return ways[s.Name] }

// ErrUnknown is wrapped if no set has the given name, and ErrAbsent if a set's file is in none of the folders.
var (
	ErrUnknown = errors.New("unknown data set")
	ErrAbsent  = errors.New("data set is not present")
)

// Sets returns every known set.
func Sets() []Set { return append([]Set(nil), sets...) }

// Find returns the set of the given name. The error for an unknown name wraps ErrUnknown and lists the known names.
func Find(name string) (Set, error) {
	var names []string
	for _, s := range sets {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Set{}, fmt.Errorf("%w: %q%s, known are %s", ErrUnknown, name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// Locate returns the path of the set's file in the first folder that has it. The error wraps ErrAbsent and lists
// the folders that were searched.
func (s Set) Locate(folders []string) (string, error) {
	for _, dir := range folders {
		path := filepath.Join(dir, filepath.FromSlash(s.Path))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	where := "no data folder is set (--data DIR or WORKBENCH_DATA)"
	if len(folders) > 0 {
		where = "looked in " + strings.Join(folders, ", ")
	}
	hint := "source: " + s.Source
	if s.Way() != "" {
		hint = s.Way()
	}
	return "", fmt.Errorf("%w: %s (%s), %s; %s", ErrAbsent, s.Name, s.Path, where, hint)
}

// Open opens the file that Locate finds. It returns the errors of Locate and os.Open.
func (s Set) Open(folders []string) (*os.File, error) {
	path, err := s.Locate(folders)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Verify reports whether the file at path has the registered checksum. It returns false for a set without a checksum.
func (s Set) Verify(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false, err
	}
	return hex.EncodeToString(h.Sum(nil)) == s.SHA256, nil
}
