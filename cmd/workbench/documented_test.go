package main_test

import (
	"encoding/json"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
)

// TestDocumentedGoCompiles type-checks the Go code of doc comments and README: declarations in the package that they
// document, statements in a package of their own. TestGuides runs the programs of the guides.
func TestDocumentedGoCompiles(t *testing.T) {
	if !cases.All() { // vet takes up to a minute where its cache is empty
		t.Skip("skipped: WORKBENCH_FULL=1 asks for it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sources := runIn(t, root, "go", "list", "-f", `{{$dir := .Dir}}{{$path := .ImportPath}}{{range .GoFiles}}{{$path}} {{$dir}}/{{.}}{{"\n"}}{{end}}`, "./...")
	blocks, imports := map[string][]string{}, map[string]string{"context": "context", "fmt": "fmt"} // code by folder, paths by package
	for line := range strings.Lines(sources) {
		from, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if file == "" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		name := parsed.Name.Name
		if old, ok := imports[name]; !ok || len(from) < len(old) {
			imports[name] = from
		}
		for _, group := range parsed.Comments {
			for _, block := range new(comment.Parser).Parse(group.Text()).Content {
				code, ok := block.(*comment.Code)
				if !ok {
					continue
				}
				text := "package " + name + "\n" + code.Text
				f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
				if err != nil || len(f.Decls) == 0 { // a formula
					continue
				}
				for own := range f.Scope.Objects { // the package itself may declare the same name
					text = regexp.MustCompile(`\b`+own+`\b`).ReplaceAllString(text, "documented"+own)
				}
				blocks[filepath.Dir(file)] = append(blocks[filepath.Dir(file)], text)
			}
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocksOf(t, strings.Split(string(readme), "\n")) {
		if docs := filepath.Join(root, "docs"); b.language == "go" {
			blocks[docs] = append(blocks[docs], "package documented\nfunc _() {\n"+b.code+"}\nfunc must[T any](v T, _ error) T { return v }\n")
		}
	}
	if len(blocks) < 2 {
		t.Fatalf("Go in %d packages, want package repl and README", len(blocks))
	}
	overlay, arguments, dir := map[string]string{}, []string{"vet", "-overlay", "overlay.json"}, t.TempDir()
	arguments[2] = filepath.Join(dir, arguments[2])
	for folder, texts := range blocks {
		arguments = append(arguments, folder)
		for _, text := range texts {
			header, rest, _ := strings.Cut(text, "\n")
			used := map[string]bool{}
			for _, match := range regexp.MustCompile(`\b([a-z]\w*)\.[A-Z]`).FindAllStringSubmatch(rest, -1) {
				if from, ok := imports[match[1]]; ok && !used[from] {
					used[from] = true
					header += fmt.Sprintf("\nimport %q", from)
				}
			}
			file := filepath.Join(dir, fmt.Sprintf("documented%d.go", len(overlay)))
			overlay[filepath.Join(folder, filepath.Base(file))] = file
			if err := os.WriteFile(file, []byte(header+"\n"+rest), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(arguments[2], text, 0o600); err != nil {
		t.Fatal(err)
	}
	vet := exec.Command("go", arguments...)
	vet.Dir = root
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
