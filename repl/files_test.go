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
	"dpworkbench/script"
)

func TestFindAndUnpack(t *testing.T) {
	scripts, data, work := t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(work)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(strings.Repeat("0 1\n2 3\n", 5000)))
	w.Close()
	for path, content := range map[string][]byte{
		filepath.Join(data, "e.txt.gz"):     zipped.Bytes(),
		filepath.Join(data, "cut.txt.gz"):   zipped.Bytes()[:zipped.Len()-9],
		filepath.Join(data, "bad.txt.gz"):   []byte("0 1\n2 3\n4 5\n6 7\n"),
		filepath.Join(data, "empty.txt.gz"): nil,
		filepath.Join(data, "both.csv"):     []byte("1"),
		filepath.Join(scripts, "both.csv"):  []byte("2"),
		filepath.Join(scripts, "a.csv"):     []byte("3"),
	} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := repl.NewSession()
	s.DataDirs = []string{data}
	for source, want := range map[string]string{
		`len(read_edges("e.txt.gz"))`:     "10000",
		`read_edges("cut.txt.gz")`:        "error: read_edges: " + data + "/cut.txt.gz: the file is truncated",
		`read_edges("bad.txt.gz")`:        "error: read_edges: " + data + "/bad.txt.gz: the file is damaged: gzip: invalid header",
		`read_edges("empty.txt.gz")`:      "error: read_edges: " + data + "/empty.txt.gz: the file is truncated",
		`read_csv("both.csv")`:            "[[2]]", // the script's folder comes before the data
		`read_csv("a.csv", skip=1)`:       "[]",
		`read_csv("none.csv")`:            `error: read_csv: path = "none.csv": there is no such file, nor in ` + data,
		`read_csv("a.csv", delimiter="")`: `error: read_csv: delimiter = "", want one character`,
	} {
		v, err := s.Exec(context.Background(), filepath.Join(scripts, "x.star"), source)
		got := ""
		if err != nil {
			got = "error: " + err.(*script.ScriptError).Msg
		} else {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}
