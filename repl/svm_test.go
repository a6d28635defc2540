package repl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// Labelled images are read from their data folders. Other learning from releases is in testdata/scripts.txt.
func TestLabelledImages(t *testing.T) {
	dir := t.TempDir()
	image := func(label byte) []byte { return append([]byte{label}, bytes.Repeat([]byte{51}, 3072)...) }
	for name, content := range map[string][]byte{
		"cifar/test_batch.bin": append(image(3), image(7)...), "mnist/t10k-labels-idx1-ubyte.gz": []byte("plain"),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := repl.NewSession()
	s.DataDirs = []string{dir}
	for source, want := range map[string]string{
		`read_svmlight("none.svm")`:                          `path = "none.svm": there is no such file, nor in ` + dir,
		`images("cifar-test-images", first=1)[0][5]`:         "0.2",
		`image_labels("cifar-test-images")`:                  "[3, 7]",
		`image_labels("mnist-train-labels", required=False)`: "None",
		`dataset("cifar-test-images")`:                       "this data set has no rows: read it with images, image_labels or read_svmlight",
	} {
		v, err := s.Exec(context.Background(), "x.star", source)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}
