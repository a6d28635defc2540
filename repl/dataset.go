package repl

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"dpworkbench/internal/data"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// datasetBuiltins find the public data sets that notebooks use.
func datasetBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "dataset", Params: "name, required=True",
		Help:    "A public data set by name, from the data folders (--data, WORKBENCH_DATA, the cache): the rows of a table without its header, the pairs of an edge list, or the words of every line of a text file. Where the file is absent, an error that names its source, or None with required=False. datasets() lists the names.",
		Example: "rows = dataset(\"karate\", required=False)\nprint(\"absent\" if rows == None else len(rows))",
		Run: func(c *script.Call) (any, error) {
			s, err := data.Find(c.Text("name"))
			if err != nil {
				return nil, err
			}
			name := "dataset " + s.Name
			path, err := s.Locate(c.Session.DataDirs)
			if errors.Is(err, data.ErrAbsent) && !c.Bool("required") {
				return starlark.None, c.Session.Missed(name)
			}
			if err != nil {
				return nil, err
			}
			return c.Session.ReadFile(script.DataFile{Name: name, Path: path}, func(r io.Reader) (starlark.Value, error) {
				switch s.Kind {
				case data.Table:
					return parseCSV(c.Context, r, s.Header, ',')
				case data.Edges:
					edges, err := parseEdges(c.Context, r)
					return script.Pairs(edges), err
				case data.Text:
					return parseWords(r)
				}
				return nil, errors.New("this set is binary and has no reader in scripts")
			})
		},
	}, {
		Name: "datasets", Params: "",
		Help:    "A table of the data sets that dataset(name) knows: what each is, its source and licence, and whether its file is present.",
		Example: "print(datasets())",
		Run: func(c *script.Call) (any, error) {
			var rows [][]string
			var cells []starlark.Value
			for _, s := range data.Sets() {
				present := "yes"
				if _, err := s.Locate(c.Session.DataDirs); err != nil {
					present = "no"
				}
				row := []string{s.Name, present, s.Description, s.Source, s.Licence}
				rows = append(rows, row)
				cells = append(cells, script.Strings(row))
			}
			return table(c, "", []string{"name", "present", "what", "source", "licence"}, rows, starlark.NewList(cells))
		},
	}}
}

// parseWords returns the blank-separated cells of every line that is not empty
// or a comment.
func parseWords(r io.Reader) (starlark.Value, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	rows := starlark.NewList(nil)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var cells []starlark.Value
		for _, w := range strings.Fields(line) {
			cells = append(cells, cell(w))
		}
		if err := rows.Append(starlark.NewList(cells)); err != nil {
			return nil, err
		}
	}
	return rows, in.Err()
}
