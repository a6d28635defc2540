package repl_test

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A drawing survives an interrupt: its name, its printed form and its saved files. The context ends while the cell
// saves the second file, and an endless loop follows.
func TestDrawingsSurviveInterrupts(t *testing.T) {
	found := map[string]int{"line_plot": 0, "heatmap": 0}
	t.Chdir(t.TempDir())
	for name, d := range repl.NewSession().Manual() {
		if d == nil || !strings.Contains(d.Example, "plot") && !strings.Contains(d.Example, "heatmap") {
			continue
		}
		s := repl.NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		v, err := s.Exec(t.Context(), "drawing", d.Example)
		if err != nil || v == nil || v.Type() != "line_plot" && v.Type() != "heatmap" {
			s.Close()
			continue
		}
		found[v.Type()]++
		shown := s.Show(v)
		var out strings.Builder
		s.Stdout = &out
		s.Set("figure", v)
		ctx, cancel := context.WithCancel(t.Context())
		files := 0
		s.Seen = func(c *script.Call, _ starlark.Value) {
			if strings.HasSuffix(c.Name, ".save") {
				if files++; files == 2 {
					cancel()
				}
			}
		}
		_, err = s.Exec(ctx, "cell", "show(figure)\nfigure.save('a.svg')\nfigure.save('a.png')\nwhile True: pass")
		if failed := new(script.ScriptError); !errors.As(err, &failed) || !failed.Interrupted {
			t.Errorf("%s: %v, want an interruption", name, err)
		}
		if again := s.Show(s.Get("figure")); out.String() != shown+"\n" || again != shown {
			t.Errorf("%s shows\n%s\nbefore an interrupt\n%s\nand after it\n%s", name, shown, out.String(), again)
		}
		svg, _ := os.ReadFile("a.svg")
		bits, _ := os.ReadFile("a.png")
		if _, err := png.Decode(bytes.NewReader(bits)); err != nil || !strings.HasSuffix(strings.TrimSpace(string(svg)), "</svg>") {
			t.Errorf("%s: the files are incomplete: %v, and %d bytes of SVG", name, err, len(svg))
		}
		if err := errors.Join(os.Remove("a.svg"), os.Remove("a.png")); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	if found["line_plot"] < 3 || found["heatmap"] < 2 {
		t.Errorf("drawings of examples: %v, want all", found)
	}
}
