package script

import (
	_ "embed"
	"strings"
)

// languageManual documents what Starlark itself brings, a line a name: parameters
// ("-" for what is not called), meaning, example. A dot parts type and method.
//
//go:embed manual.txt
var languageManual string

// languageDocs returns the entries of languageManual by name.
func languageDocs() map[string]*Doc {
	docs := make(map[string]*Doc)
	for line := range strings.Lines(strings.TrimSpace(languageManual)) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		d := &Doc{Name: f[0], Help: f[2], Example: f[3], text: f[0]}
		if f[1] != "-" {
			d.text += "(" + strings.TrimPrefix(strings.TrimPrefix(f[1], "self"), ", ") + ")"
		}
		docs[d.Name] = d
	}
	return docs
}
