package repl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
)

func TestImages(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mnist"), 0o755); err != nil {
		t.Fatal(err)
	}
	two := []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 102, 255}
	for name, content := range map[string][]byte{"t10k-images-idx3-ubyte.gz": two, "train-images-idx3-ubyte.gz": two[:17]} {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(content)
		w.Close()
		if err := os.WriteFile(filepath.Join(dir, "mnist", name), zipped.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := repl.NewSession()
	s.DataDirs, s.NoteInputs = []string{dir}, true
	for source, want := range map[string]string{
		`images("mnist-test-images", first=1)[0]`:     "[0.4, 1.0]",
		`images("mnist-test-images", count=3)`:        "unexpected file format: images 0 to 2 are requested, the file has 2",
		`images("mnist-train-images")`:                "train-images-idx3-ubyte.gz: the file is truncated",
		`images("mnist-test-labels", required=False)`: "None",
	} {
		v, err := s.Exec(context.Background(), "x.star", source)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
	if in := s.Inputs(); len(in["dataset mnist-test-images"]) != 64 || in["dataset mnist-test-labels"] != "absent" {
		t.Errorf("the session has recorded %v", in)
	}
}
