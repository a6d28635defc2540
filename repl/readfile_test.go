package repl

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func TestReadCSV(t *testing.T) {
	for text, want := range map[string]string{
		"1,2.5,a\n-3,,\"x, y\"\n":    `[[1, 2.5, "a"], [-3, None, "x, y"]]`,
		"\xef\xbb\xbfa,b\r\n1,2\r\n": `[["a", "b"], [1, 2]]`,
		"":                           "[]",
		"\n\n":                       "[]",
		"1e3, inf ,0x10,1_000,+5":    `[[1000.0, +inf, "0x10", "1_000", 5]]`,
		"?,y\n":                      `[["?", "y"]]`,
		"1,2\n3\n":                   "error: line 2 has 1 cells, want 2 like the rows before",
		"a,\"b\nc":                   "error: record on line 1; parse error on line 2, column 2: extraneous or missing \" in quoted-field",
		"a\x00b":                     "error: line 1, cell 1 is not text",
		"\xff\xfe1":                  "error: line 1, cell 1 is not text",
		"99999999999999999999":       "[[1e+20]]",
	} {
		rows, err := parseCSV(context.Background(), strings.NewReader(text), 0, ',')
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = rows.String()
		}
		if got != want {
			t.Errorf("%q\n gives %s\n want  %s", text, got, want)
		}
	}
}

func TestReadEdges(t *testing.T) {
	for text, want := range map[string]string{
		"# nodes\n0 1\n2\t3\n4,5\n\n% x\n 6  7 \r\n": "[(0, 1), (2, 3), (4, 5), (6, 7)]",
		"":                         "[]",
		"0 0":                      "[(0, 0)]",
		"0 1\n2\n":                 `error: line 2 = "2" has 1 fields, want two node numbers`,
		"0 1 0.5":                  `error: line 1 = "0 1 0.5" has 3 fields, want two node numbers`,
		"a b":                      `error: line 1 = "a b", want two whole numbers from 0 to 2147483647`,
		"0 -1":                     `error: line 1 = "0 -1", want two whole numbers from 0 to 2147483647`,
		"0 99999999999":            `error: line 1 = "0 99999999999", want two whole numbers from 0 to 2147483647`,
		strings.Repeat("0", 1<<17): "error: line 1 is longer than 65536 bytes",
	} {
		edges, err := parseEdges(context.Background(), strings.NewReader(text))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = script.Pairs(edges).String()
		}
		if got != want {
			t.Errorf("%.40q\n gives %s\n want  %s", text, got, want)
		}
	}
}

func TestFindAndUnpack(t *testing.T) {
	scripts, data, work := t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(work)
	zipped := func(content []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(content)
		w.Close()
		return out.Bytes()
	}
	edges := zipped([]byte(strings.Repeat("0 1\n2 3\n", 5000)))
	if err := os.Mkdir(filepath.Join(data, "mnist"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{
		filepath.Join(data, "e.txt.gz"):                         edges,
		filepath.Join(data, "cut.txt.gz"):                       edges[:len(edges)-9],
		filepath.Join(data, "bad.txt.gz"):                       []byte("0 1\n2 3\n4 5\n6 7\n"),
		filepath.Join(data, "empty.txt.gz"):                     nil,
		filepath.Join(data, "both.csv"):                         []byte("1"),
		filepath.Join(data, "mnist/t10k-images-idx3-ubyte.gz"):  zipped([]byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 102, 255}),
		filepath.Join(data, "mnist/train-images-idx3-ubyte.gz"): zipped([]byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0}),
		filepath.Join(scripts, "both.csv"):                      []byte("2"),
		filepath.Join(scripts, "a.csv"):                         []byte("3"),
	} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSession()
	s.DataDirs = []string{data}
	for source, want := range map[string]string{
		`len(read_edges("e.txt.gz"))`:                 "10000",
		`read_edges("cut.txt.gz")`:                    "error: read_edges: " + data + "/cut.txt.gz: the file ends too early: it is truncated",
		`read_edges("bad.txt.gz")`:                    "error: read_edges: " + data + "/bad.txt.gz: the file is damaged: gzip: invalid header",
		`read_edges("empty.txt.gz")`:                  "error: read_edges: " + data + "/empty.txt.gz: the file ends too early: it is truncated",
		`read_csv("both.csv")`:                        "[[2]]", // the script's folder comes before the data
		`read_csv("a.csv", skip=1)`:                   "[]",
		`read_csv("none.csv")`:                        `error: read_csv: path = "none.csv": there is no such file, nor in ` + data,
		`images("mnist-test-images", first=1)[0]`:     "[0.4, 1.0]",
		`images("mnist-test-images", count=3)`:        "error: images: " + data + "/mnist/t10k-images-idx3-ubyte.gz: unexpected file format: images 0 to 2 asked for, the file has 2",
		`images("mnist-train-images")`:                "error: images: " + data + "/mnist/train-images-idx3-ubyte.gz: the file ends too early: it is truncated",
		`images("mnist-test-labels", required=False)`: "None",
		`read_csv("a.csv", delimiter="")`:             `error: read_csv: delimiter = "", want one character`,
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

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"1,2.5,a\n-3,,\"x, y\"\n", "\xef\xbb\xbfa;b\r\n", "\"", "a,\"b\nc", "1e999\n", ",\n,,\n", "\x00", "'1', 2"} {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, skip int) {
		rows, err := parseCSV(context.Background(), strings.NewReader(text), skip&3, ',')
		if err != nil {
			return
		}
		for i := range rows.Len() {
			if starlark.Len(rows.Index(i)) != starlark.Len(rows.Index(0)) {
				t.Errorf("%q: row %d has another length", text, i)
			}
		}
	})
}

func FuzzEdges(f *testing.F) {
	for _, s := range []string{"0 1\n", "# x\n0,1\n", "0\t1\r\n% y\n", "-1 0", "0 1 2", "99999999999 0", "\xff 1", "1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		edges, err := parseEdges(context.Background(), strings.NewReader(text))
		if err != nil {
			return
		}
		for _, e := range edges {
			if e[0] < 0 || e[1] < 0 {
				t.Errorf("%q: edge %v", text, e)
			}
		}
		// What was read reads back the same.
		var b strings.Builder
		for _, e := range edges {
			b.WriteString(strings.Trim(script.Pairs([][2]int{e}).Index(0).String(), "()") + "\n")
		}
		again, err := parseEdges(context.Background(), strings.NewReader(b.String()))
		if err != nil || len(again) != len(edges) {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}
