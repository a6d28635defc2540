package script

import (
	_ "embed"
	"strings"
)

// languageManual documents what Starlark itself provides. Each line has a name, its parameters ("-" if it cannot be
// called), its meaning and an example, separated by "|". A dot separates a member from its type or module.
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
