package data

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A file that cannot be read further is an error, however much of it was read before.
func TestReadersFail(t *testing.T) {
	gone := errors.New("gone")
	var images bytes.Buffer
	if err := binary.Write(&images, binary.BigEndian, []uint32{0x803, 2, 2, 2}); err != nil {
		t.Fatal(err)
	}
	images.WriteString("abcdefgh")
	for name, c := range map[string]struct {
		content string
		read    func(r io.Reader) error
	}{
		"csv":    {"1,2\n3,4\n", func(r io.Reader) error { _, err := ReadCSV(t.Context(), r, 0, ','); return err }},
		"headed": {"a,b\n1,2\n3,4\n", func(r io.Reader) error { _, err := ReadHeadedCSV(t.Context(), r, 0, ','); return err }},
		"cells":  {"1,2\n3,4\n", func(r io.Reader) error { _, err := ReadCells(t.Context(), r, ','); return err }},
		"words":  {"1 2\n3 4\n", func(r io.Reader) error { _, err := ReadWords(r); return err }},
		"sparse": {"1 1:2\n3 1:4\n", func(r io.Reader) error { _, _, err := ReadSVMLight(t.Context(), r, 0, 0, -1); return err }},
		"labels": {"\x00\x00\x08\x01\x00\x00\x00\x02ab", func(r io.Reader) error { _, err := ReadLabels(r, 0, 2); return err }},
		"edges":  {"1 2\n3 4\n", func(r io.Reader) error { _, err := ReadEdges(t.Context(), r); return err }},
		"images": {images.String(), func(r io.Reader) error { _, err := ReadImages(r, 1, 1); return err }},
	} {
		if err := c.read(strings.NewReader(c.content)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range len(c.content) {
			if err := c.read(io.MultiReader(strings.NewReader(c.content[:n]), iotest.ErrReader(gone))); err == nil || name != "edges" && name != "sparse" && !errors.Is(err, gone) { // half a pair is none
				t.Errorf("%s after %d bytes: %v", name, n, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadCSV(ctx, strings.NewReader("1\n"), 0, ','); !errors.Is(err, context.Canceled) {
		t.Errorf("csv without a context: %v", err)
	}
	if _, err := ReadEdges(ctx, strings.NewReader(strings.Repeat("1 2\n", pollEvery))); !errors.Is(err, context.Canceled) {
		t.Errorf("edges without a context: %v", err)
	}
	if rows, err := ReadCSV(t.Context(), strings.NewReader("head,of,three\n1;2\n"), 1, ';'); err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		t.Errorf("below a heading: %v, %v", rows, err)
	}
}

// A set opens where it is, is known by its sum, and is named where it is not.
func TestSetsAreFound(t *testing.T) {
	folder, content := t.TempDir(), []byte("x")
	s := Set{Name: "n", Path: "sub/x.csv", Source: "where", SHA256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"} // of "x"
	if _, err := s.Open([]string{folder}); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), folder) {
		t.Errorf("%v", err)
	}
	if _, err := s.Open(nil); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "no data folder") {
		t.Errorf("%v", err)
	}
	path := filepath.Join(folder, "sub", "x.csv")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open([]string{t.TempDir(), folder})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%q, %v", got, err)
	}
	if ok, err := s.Verify(path); err != nil || !ok {
		t.Errorf("the copy is not known: %v", err)
	}
	if ok, err := (Set{}).Verify(path); err != nil || ok {
		t.Errorf("another copy is known: %v", err)
	}
	for _, broken := range []string{folder, filepath.Join(folder, "none")} {
		if ok, err := s.Verify(broken); err == nil || ok {
			t.Errorf("%s: %t, %v", broken, ok, err)
		}
	}
}

// A message quotes the beginning of a long line, and an unknown name is answered with
// those that are known.
func TestMessagesOfData(t *testing.T) {
	_, err := ReadEdges(t.Context(), strings.NewReader(strings.Repeat("x", 41)))
	if want := `line 1 = "` + strings.Repeat("x", 40) + `…" has 1 fields, want two node numbers`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ReadEdges(t.Context(), strings.NewReader(strings.Repeat("x", 40)))
	if want := `line 1 = "` + strings.Repeat("x", 40) + `" has 1 fields, want two node numbers`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Find("nothing of the kind")
	for _, s := range Sets() {
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), s.Name) {
			t.Errorf("%v does not name %s", err, s.Name)
		}
	}
}

// Images of 2²⁰ pixels are the largest, and 2²⁴ the most that a file is believed to have.
func TestSizesOfImages(t *testing.T) {
	for head, want := range map[[4]uint32]bool{
		{0x803, 1, 1 << 10, 1 << 10}: true, {0x803, 1, 1 << 10, 1<<10 + 1}: false, {0x803, 1, 1, 0}: false, {0x803, 1, 1, 1}: true,
		{0x803, 1 << 24, 1, 1}: true, {0x803, 1<<24 + 1, 1, 1}: false, {0x804, 1, 1, 1}: false,
	} {
		var file bytes.Buffer
		if err := binary.Write(&file, binary.BigEndian, head[:]); err != nil {
			t.Fatal(err)
		}
		file.Write(make([]byte, 1<<20))
		images, err := ReadImages(&file, 0, 1)
		if (err == nil) != want || want && len(images) != 1 || !want && !errors.Is(err, ErrFormat) {
			t.Errorf("%v: %d images, %v", head, len(images), err)
		}
	}
}

// A sum leaves no file open.
func TestVerifyCloses(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not tell which files are open")
		}
		return len(files)
	}
	before := open()
	for range 50 {
		if _, err := (Set{}).Verify("faults_test.go"); err != nil {
			t.Fatal(err)
		}
	}
	if after := open(); after > before+10 {
		t.Errorf("%d files are open, %d before", after, before)
	}
}
