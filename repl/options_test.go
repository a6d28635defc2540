package repl_test

import (
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/decimal"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// transcript runs the inputs of a text, marked by >>> and ..., and returns the text with each output or error. A line
// that begins with # starts a new session.
func transcript(t *testing.T, text string) string {
	t.Helper()
	var out, source strings.Builder
	var s *repl.Session
	run := func() {
		if source.Len() == 0 {
			return
		}
		v, err := s.Exec(t.Context(), "<input>", source.String())
		source.Reset()
		if err != nil {
			out.WriteString("error: " + err.Error() + "\n")
		} else if text := s.Show(v); text != "" {
			out.WriteString(text + "\n")
		}
	}
	for line := range strings.Lines(text) {
		more, goes := strings.CutPrefix(line, "...")
		if !goes || source.Len() == 0 {
			run()
		}
		switch input, ok := strings.CutPrefix(line, ">>> "); {
		case strings.HasPrefix(line, "#"):
			s = transcriptSession()
			s.Stdout = &out
			out.WriteString("\n" + line)
		case ok:
			out.WriteString(line)
			source.WriteString(input)
		case goes && source.Len() > 0:
			out.WriteString(line)
			source.WriteString(strings.TrimPrefix(more, " "))
		}
	}
	run()
	return strings.TrimPrefix(out.String(), "\n")
}

// transcriptSession returns a session with numbers of every kind.
func transcriptSession() *repl.Session {
	s := repl.NewSession()
	s.Stderr = io.Discard
	numbers := samples()
	maps.Copy(numbers, map[string]evidence.Number{
		"near": evidence.Certified{Lo: 1.234567, Hi: 1.234569, Provenance: evidence.From("s").By("m")}, "wide": evidence.Certified{Lo: 1, Hi: 2},
		"guess": evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75, Confidence: 0.99, Draws: 1000}, "said": evidence.Claimed{Value: 0.125, Provenance: evidence.From("Theorem 1")},
	})
	for name, text := range map[string]string{"large": "9007199254740992", "larger": "9007199254740993", "below": "2.99999999999999999999", "tiny": "1e-400"} {
		q, _ := decimal.Rational(text)
		numbers[name] = evidence.Exact{Value: q}
	}
	for name, n := range numbers {
		s.Set(name, script.Known(n))
	}
	s.Seed = 5
	for kind := range probes {
		s.Set("probe_"+kind, probe(s.Session, kind))
	}
	return s
}

var update = flag.Bool("update", false, "write testdata/options.txt and scripts.txt anew")

// The inputs in testdata/options.txt and scripts.txt give the answers and errors written below them. -update rewrites
// these. The inputs read the files in testdata/files.
func TestOptions(t *testing.T) {
	for _, name := range []string{"options.txt", "scripts.txt"} {
		t.Run(name, func(t *testing.T) {
			golden, err := filepath.Abs(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/files")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			got := transcript(t, string(want))
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			before, after := strings.Split(string(want), ">>> "), strings.Split(got, ">>> ")
			if len(after) != len(before) {
				t.Errorf("%d inputs, want %d", len(after), len(before))
			}
			for i := range min(len(before), len(after)) {
				if after[i] != before[i] {
					t.Errorf("an input shows\n%s\nwant\n%s", after[i], before[i])
				}
			}
		})
	}
}
