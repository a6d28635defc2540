package prompt

import (
	"slices"
	"strings"
	"testing"
)

func TestDownward(t *testing.T) {
	const in = "a\x1b[2Bb\x1b[Bc\x1b[31md\r\n\x1b[4C\x1b[1Ké\x1b[?25l\x1b[3;1H\x1b"
	const want = "a\x1bD\x1bDb\x1bDc\x1b[31md\r\n\x1b[4C\x1b[1K\r| \x1b[2Cé\x1b[?25l\x1b[3;1H"
	for _, chunk := range []int{1, 2, 3, len(in)} {
		var out strings.Builder
		d := &downward{to: &out, margin: "| "}
		for part := range slices.Chunk([]byte(in), chunk) {
			if n, err := d.Write(part); n != len(part) || err != nil {
				t.Fatalf("Write(%q) = %d, %v", part, n, err)
			}
		}
		if out.String() != want || string(d.held) != "\x1b" {
			t.Errorf("in parts of %d bytes: %q and %q, want %q and ESC", chunk, out.String(), d.held, want)
		}
	}
}

// While a block with wrapping lines is typed on the last rows of a terminal, output stays on the screen and the margin
// hides no code. A row has 60 columns here.
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
			rows = screenOf(seen, 60, 20)
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
