package data_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dpworkbench/internal/data"
)

// folders returns the data folders for tests: from the environment, or next to the checkout.
func folders() []string {
	if dir := os.Getenv("WORKBENCH_DATA"); dir != "" {
		return []string{dir}
	}
	return []string{filepath.Join("..", "..", "..", "shared", "data")}
}

func TestRegistryMatchesFiles(t *testing.T) {
	seen := map[string]bool{}
	present := 0
	for _, s := range data.Sets() {
		if s.Way() != "" != (s.SHA256 == "") {
			t.Errorf("%s: checksum %q, instructions %q", s.Name, s.SHA256, s.Way())
		}
		if seen[s.Name] || len(s.SHA256) != 64 && s.Way() == "" || s.Source == "" || s.Licence == "" {
			t.Errorf("%+v: repeated name, or no checksum, source or licence", s)
		}
		seen[s.Name] = true
		path, err := s.Locate(folders())
		if errors.Is(err, data.ErrAbsent) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		present++
		if ok, err := s.Verify(path); err != nil || !ok && s.Way() == "" {
			t.Errorf("%s: checksum of %s: %v, %v", s.Name, path, ok, err)
		}
	}
	if present == 0 {
		t.Skip("no data set is present")
	}
}

func TestFind(t *testing.T) {
	if s, err := data.Find("karate"); err != nil || s.Kind != data.Edges {
		t.Errorf("karate is %+v, %v", s, err)
	}
	if _, err := data.Find("carate"); !errors.Is(err, data.ErrUnknown) {
		t.Errorf("Find(carate): error %v, want ErrUnknown", err)
	}
	s, _ := data.Find("karate")
	if _, err := s.Locate([]string{t.TempDir()}); !errors.Is(err, data.ErrAbsent) {
		t.Errorf("an empty folder gives %v", err)
	}
}
