package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"
)

// transcript runs what stands behind >>> in a text, and returns it with what each input
// shows, or with its error. A line that begins with # begins a session.
func transcript(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	var s *Session
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			s = NewSession()
			s.Stdout = &out
			for name, n := range map[string]evidence.Number{
				"near": evidence.Certified{Lo: 1.234567, Hi: 1.234569, Provenance: evidence.From("s").By("m")}, "wide": evidence.Certified{Lo: 1, Hi: 2}, "loss": evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up},
				"guess": evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75, Confidence: 0.99, Draws: 1000}, "said": evidence.Claimed{Value: 0.125, Provenance: evidence.From("Theorem 1")},
			} {
				s.Set(name, script.Known(n))
			}
			out.WriteString("\n" + line)
		}
		source, ok := strings.CutPrefix(line, ">>> ")
		if !ok {
			continue
		}
		out.WriteString(line)
		v, err := s.Exec(t.Context(), "<input>", source)
		if err != nil {
			out.WriteString("error: " + err.Error() + "\n")
		} else if text := s.Show(v); text != "" {
			out.WriteString(text + "\n")
		}
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// Options, and what is refused of them, are as testdata/options.txt has them, where numbers
// are small enough to be followed by hand: -update writes the answers anew.
func TestOptions(t *testing.T) {
	golden, err := filepath.Abs("testdata/options.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got := transcript(t, string(want))
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	before := strings.Split(string(want), ">>> ")
	for i, now := range strings.Split(got, ">>> ") {
		if i >= len(before) || now != before[i] {
			t.Errorf("an input shows\n%s\nnot\n%s", now, before[min(i, len(before)-1)])
		}
	}
}
