package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"dpworkbench/repl/prompt"
)

// While the user types a block with wrapping lines on the last rows of a terminal, earlier output stays on the screen
// and the margin hides no code. A row has 60 columns here.
func TestBlockOnLastRows(t *testing.T) {
	f := openTerminal(t)
	f.enter("for i in range(30): print('row', i)\r", "row 29")
	f.enter("x = [[1.5]]\r", ">>> ")
	f.enter("print('kept', x)\r", "kept [[1.5]]")
	f.enter("nowhere\r", "undefined: nowhere")
	want := []string{">>> x = [[1.5]]", ">>> print('kept', x)", "kept [[1.5]]", ">>> nowhere", "error: undefined: nowhere"}
	block := []string{
		"def f(n, k):",
		"y = 1 + " + strings.Repeat("n*k + ", 15) + "n",       // wraps
		"z = '" + strings.Repeat("q", 60-4-4-6) + "'",         // fills a row
		"w = 1 + " + strings.Repeat("n*k*n + ", 20) + "n*k*n", // three rows
		"return y",
	}
	// await waits until the screen shows the rows of want and then the row last.
	await := func(last string) {
		t.Helper()
		var rows []string
		if !f.shows(hang, func(seen string) bool {
			rows = prompt.ScreenOf(seen, 60, 20)
			at := slices.Index(rows, want[0])
			return at >= 0 && at+len(want) < len(rows) && slices.Equal(rows[at:at+len(want)], want) && rows[at+len(want)] == last
		}) {
			t.Fatalf("the screen shows\n%s\nwant\n%s\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"), last)
		}
	}
	want = append(want, ">>> "+block[0])
	f.enter(block[0]+"\r", "│")
	await("│")
	for _, line := range block[1:] {
		for shown := "│       " + line; shown != ""; { // the margin and one level of indentation
			r := []rune(shown)
			n := min(len(r), 60)
			want, shown = append(want, strings.TrimRight(string(r[:n]), " ")), string(r[n:])
			if n == 60 && shown == "" {
				want = append(want, "") // the cursor's row
			}
		}
		f.enter(line+"\r", "│")
		await("│")
	}
	want = append(want, "│")
	f.enter("\r", ">>> ")
	await(">>>")
	want = append(want, ">>> print('last', f(0, 0))", "last 1")
	f.enter("print('last', f(0, 0))\r", "last 1")
	await(">>>")
}
