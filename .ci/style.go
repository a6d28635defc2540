// Style reports violations of the style rules that a program can find. These are identifiers that were replaced by
// terms of the field (gone.txt, by folder), and sentences over 40 words and lines over 120 characters in comments and
// hand-written pages. Long lines of code, and long sentences in pages and tests, are allowed up to the numbers in
// long.txt.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const mostWords, longest = 40, 120

var (
	skipped  = regexp.MustCompile(`testdata/|^docs/(reference|errata)/|^docs/(claims|field|performance)\.md`)
	ends     = regexp.MustCompile(`[.!?]["”’)\]*_]*(\s|$)`)
	word     = regexp.MustCompile(`^["“(\[*_]*\pL\pL`) // a word, not a symbol or number
	unbroken = regexp.MustCompile("`[^`]*`|\\[[^\\]]*\\]\\([^)]*\\)|https?://\\S+")
	block    = regexp.MustCompile(`^\s*([-*+] |\d+[.)] |#|\||>|<|$)`) // a list, heading, table, quotation or empty line
	slashes  = regexp.MustCompile(`(?m)^\s*// ?`)
	count    = map[string]int{} // the numbers that long.txt limits
	refused  bool
)

func refuse(file string, line int, format string, args ...any) {
	refused = true
	fmt.Printf("%s:%d: %s\n", file, line, fmt.Sprintf(format, args...))
}

// prose checks text that begins at line first of a file. It skips lines that begin with the prefix code.
func prose(file string, first int, lines []string, code string) {
	var paragraph []string
	fenced := false
	for i, l := range append(lines, "") {
		fence := strings.HasPrefix(strings.TrimSpace(l), "```")
		isCode := fence || fenced || strings.HasPrefix(l, code)
		if isCode || block.MatchString(l) {
			sentences(file, first+i-len(paragraph), strings.Join(paragraph, "\n"))
			paragraph = nil
		}
		fenced = fenced != fence
		if isCode || strings.HasPrefix(strings.TrimSpace(l), "|") {
			continue
		}
		if n := utf8.RuneCountInString(unbroken.ReplaceAllString(l, "x")); n > longest {
			refuse(file, first+i, "a line of %d characters, want at most %d", n, longest)
		}
		paragraph = append(paragraph, l)
	}
}

func sentences(file string, line int, text string) {
	for _, s := range ends.Split(unbroken.ReplaceAllString(text, "x"), -1) {
		words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return !word.MatchString(w) })
		if bounded := !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"); len(words) > mostWords && bounded {
			count[file]++
		} else if len(words) > mostWords {
			refuse(file, line, "%d words in a sentence, want at most %d: %s …", len(words), mostWords, strings.Join(words[:6], " "))
		}
		line += strings.Count(s, "\n")
	}
}

// table reads a file of which each line has a path and words.
func table(name string) map[string][]string {
	of := map[string][]string{}
	for _, l := range strings.Split(strings.TrimSpace(string(must(os.ReadFile(name)))), "\n") {
		of[strings.Fields(l)[0]] = strings.Fields(l)[1:]
	}
	return of
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func goFile(name string, text []byte, gone []string) {
	set := token.NewFileSet()
	file := must(parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution))
	for _, g := range file.Comments {
		comment := slashes.ReplaceAllString(string(text[g.Pos()-file.FileStart:g.End()-file.FileStart]), "")
		if !strings.Contains(comment, "Output:") { // the expected output of an example
			prose(name, set.Position(g.Pos()).Line, strings.Split(comment, "\n"), "\t")
		}
	}
	for l := range strings.Lines(string(text)) {
		if utf8.RuneCountInString(l) > longest+1 && !strings.HasPrefix(strings.TrimSpace(l), "//") {
			count[name[:strings.Index(name, "/")]]++
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(gone, id.Name) {
			refuse(name, set.Position(id.Pos()).Line, "%s was replaced by a term of the field", id.Name)
		}
		return true
	})
}

func main() {
	gone, most := table(".ci/gone.txt"), table(".ci/long.txt")
	for name := range strings.FieldsSeq(string(must(exec.Command("git", "ls-files", "*.go", "*.md").Output()))) {
		text, err := os.ReadFile(name)
		switch {
		case err != nil, skipped.MatchString(name), strings.HasPrefix(string(text), "// Code generated"):
		case strings.HasSuffix(name, ".md"):
			prose(name, 1, strings.Split(string(text), "\n"), "    ")
		default:
			goFile(name, text, gone[name[:strings.Index(name, "/")]])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(count)) {
		if n := 0; len(most[at]) == 0 || must(fmt.Sscan(most[at][0], &n)) == 1 && count[at] > n {
			refuse(at, 1, "%d lines of code or sentences that are too long, want at most %d (.ci/long.txt)", count[at], n)
		}
	}
	if refused {
		os.Exit(1)
	}
}
