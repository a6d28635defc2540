package repl_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

// Every function that prints or saves evidence rounds it to the safe side.
func TestPrintedEvidenceRoundsSafely(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(17, 18))
	for range 30 {
		var rows []starlark.Value
		var known []evidence.Certified
		for range 40 {
			known = append(known, evidencetest.Random(rng))
			rows = append(rows, starlark.NewList([]starlark.Value{script.Known(known[len(known)-1])}))
		}
		s := repl.NewSession()
		s.Set("rows", starlark.NewList(rows))
		digits := 1 + rng.IntN(17)
		texts := exec1(t, s, fmt.Sprintf(`t = table(rows, digits=%[1]d)
for end in ["csv", "md", "html", "json"]:
    t.save("t." + end, digits=%[1]d)
t.save("whole.csv")
[[fmt(r[0], %[1]d), str(r[0]), r[0].cite(), r[0].cite("latex")] for r in rows]`, digits)).(*starlark.List)
		printed := make(map[string][]string)
		for name, cell := range map[string]string{"t.csv": `(?m)^"?([^"\n]+)"?$`, "whole.csv": `(?m)^(.+)$`, "t.md": `(?m)^\| (.*\d.*|-?inf) \|$`, "t.html": `<td[^>]*>([^<]*)</td>`, "t.json": `\[([^\[\]]+|\[[^\[\]]+\])\]`} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(cell).FindAllStringSubmatch(string(text), -1) {
				cell := strings.ReplaceAll(m[1], `\`, "")
				if name == "t.json" { // the JSON numbers are floats: compare all their digits
					cell = regexp.MustCompile(`-?\d[-+.e\d]*`).ReplaceAllStringFunc(cell, func(text string) string { return evidence.FormatFloat(script.Parsed(text), 767) })
				}
				printed[name] = append(printed[name], cell)
			}
		}
		for i, c := range known {
			row := texts.Index(i).(*starlark.List)
			for j, name := range []string{"fmt", "str", "cite", "latex"} {
				text, _ := starlark.AsString(row.Index(j))
				printed[name] = append(printed[name], strings.NewReplacer(" \\times 10^{", "e", "}", "", `\infty`, "inf").Replace(text))
			}
			for name, all := range printed {
				if len(all) <= i {
					t.Fatalf("%s has %d of %d numbers", name, len(all), len(known))
				}
				if c.Side == evidence.Neither && (name == "whole.csv" || name == "t.json" && !strings.HasPrefix(all[i], "[")) {
					continue // midpoints and floats are not rounded to the safe side
				}
				if wrong := evidencetest.Misprint(c, all[i]); wrong != "" {
					t.Fatalf("%s to %d digits: %s", name, digits, wrong)
				}
			}
		}
	}
}
