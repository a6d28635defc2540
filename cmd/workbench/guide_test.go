package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var renewGuides = flag.Bool("guides", false, "write what the blocks of docs/guide print anew")

// block is a fenced block of a page.
type block struct {
	language, file string // from the opening line of the block
	code           string
	begin, end     int // the code is lines[begin:end] of the page
}

// blocksOf returns the fenced blocks of a page.
func blocksOf(t *testing.T, lines []string) (blocks []block) {
	t.Helper()
	open := -1
	for i, line := range lines {
		fence, found := strings.CutPrefix(line, "```")
		switch {
		case !found:
		case open < 0:
			b := block{begin: i + 1}
			b.language, b.file, _ = strings.Cut(fence, " ")
			blocks, open = append(blocks, b), i
		default:
			b := &blocks[len(blocks)-1]
			b.end, b.code, open = i, strings.Join(lines[b.begin:i], "\n")+"\n", -1
		}
	}
	if open >= 0 {
		t.Fatalf("line %d: the block is not closed", open+1)
	}
	return blocks
}

// Every block of code in docs/guide runs and prints the output shown below it. The Python blocks of a page share one
// session. Shell lines run between them, in the order of the page. A block with a file name is written to that file,
// and a Go program gets its own module. The flag -guides rewrites the outputs.
func TestGuides(t *testing.T) {
	pages, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil || len(pages) < 9 {
		t.Fatal(pages, err)
	}
	index, err := os.ReadFile("../../docs/guide/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("the index does not name %s", name)
		}
		if name == "python.md" { // python/tests runs this page
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, page)
		})
	}
}

// TestReadmeSession runs the lines of README's session, and compares the prompt's output with the page.
func TestReadmeSession(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	var script, want strings.Builder
	for i, line := range lines {
		code, found := strings.CutPrefix(line, ">>> ")
		switch {
		case !found:
		case strings.HasPrefix(lines[i+1], ">>> "):
			script.WriteString(code + "\n")
		default:
			script.WriteString("print(repr((" + code + ")))\n")
			want.WriteString(lines[i+1] + "\n")
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.star"), []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runIn(t, dir, "workbench", "run", "readme.star"); got != want.String() || got == "" {
		t.Errorf("README's session prints\n%swant\n%s", got, want.String())
	}
}

func runPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	blocks := blocksOf(t, lines)
	dir := t.TempDir()
	printed := make([]string, len(blocks))
	var session []int // the Python blocks so far
	ran := 0          // the number of blocks that ran
	flush := func() {
		if len(session) > ran {
			for i, out := range runPython(t, dir, blocks, session) {
				if i >= ran {
					printed[session[i]] = out
				}
			}
			ran = len(session)
		}
	}
	module := "" // the page's own go.mod
	for _, b := range blocks {
		if b.language == "go.mod" {
			module = b.code
		}
	}
	for i, b := range blocks {
		switch {
		case b.file != "" && (b.language == "python" || b.language == "csv"):
			if err := os.WriteFile(filepath.Join(dir, b.file), []byte(b.code), 0o600); err != nil {
				t.Fatal(err)
			}
		case b.language == "python":
			session = append(session, i)
		case b.language == "sh":
			flush()
			printed[i] = runIn(t, dir, "sh", "-ec", b.code)
		case b.language == "go":
			printed[i] = runGo(t, b.code, module)
		case b.language == "go.mod":
		case b.language == "text" && i > 0 && blocks[i-1].language != "text":
		default:
			t.Errorf("line %d: a block of %q, want python, sh, go, go.mod, csv with a file, or text below one of these", b.begin, b.language)
		}
	}
	flush()
	shown := func(i int) (string, bool) { // the output that the page shows for block i
		if i+1 < len(blocks) && blocks[i+1].language == "text" {
			return blocks[i+1].code, true
		}
		return "", false
	}
	if *renewGuides {
		var out []string
		from := 0
		for i, b := range blocks {
			if b.language == "text" {
				continue
			}
			out = append(out, lines[from:b.end+1]...)
			from = b.end + 1
			if _, has := shown(i); has {
				from = blocks[i+1].end + 1
			}
			if printed[i] != "" {
				out = append(out, "", "```text", strings.TrimSuffix(printed[i], "\n"), "```")
			}
		}
		if err := os.WriteFile(page, []byte(strings.Join(append(out, lines[from:]...), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, b := range blocks {
		if want, _ := shown(i); b.language != "text" && printed[i] != want {
			t.Errorf("line %d prints\n%swant\n%s", b.begin, printed[i], want)
		}
	}
}

// runPython runs blocks in one session and returns the output of each.
func runPython(t *testing.T, dir string, blocks []block, session []int) []string {
	t.Helper()
	const mark = "\x1e"
	var script strings.Builder
	for _, i := range session {
		fmt.Fprintf(&script, "%sprint(%q)\n", blocks[i].code, mark)
	}
	if err := os.WriteFile(filepath.Join(dir, "page.star"), []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out := strings.Split(runIn(t, dir, "workbench", "run", "page.star"), mark+"\n")
	if len(out) != len(session)+1 {
		t.Fatalf("%d blocks printed %q", len(session), out)
	}
	return out[:len(session)]
}

// runIn runs a command in dir and returns its output.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, errors.Bytes())
	}
	return string(out)
}

// runGo runs a program in its own module, whose go.mod is the page's if it has one. It replaces the module dpworkbench
// by this repository.
func runGo(t *testing.T, code, module string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(ours), "\n") // the program may need this module's requirements
	if module == "" {
		module = "module example.org/guide\n" + rest + "\nrequire dpworkbench v0.0.0\n\nreplace dpworkbench => ../dpworkbench\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": code, "go.sum": string(sums), "go.mod": strings.ReplaceAll(module, "../dpworkbench", root),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return runIn(t, dir, "go", "run", "-mod=mod", ".")
}
