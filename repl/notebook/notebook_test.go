package notebook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpworkbench/repl/notebook"
)

func TestCells(t *testing.T) {
	const script = `# Figure 1 of a paper: is it so?
#
#   workbench run a.star
#
# It writes files.

x = 1
out = "notebooks/figures"

# belongs to f
def f():
    """Doc

    more."""
    return (x,

            2)
    # inside

print(f())
for i in range(2):
    print(i)
y = 2

z = 3

# 2. A section.

# Words of
# two lines.

print(z)  # last
# the end

# ---- figure 2 ----------

# What it shows:

print("one line")
print("""
What *is* found,
in V_f.
""")
print("""two
lines""", z)

# -------- peers
#
# More of it.

print("""not
alone"""); print(z)
`
	want := []notebook.Cell{
		{false, "# Figure 1 of a paper\n\nIs it so?\n\n    workbench run a.star\n\nIt writes files."},
		{true, "x = 1\nout = \"figures\"\n\n# belongs to f\ndef f():\n    \"\"\"Doc\n\n    more.\"\"\"\n    return (x,\n\n            2)\n    # inside\n\nprint(f())\nfor i in range(2):\n    print(i)\ny = 2"},
		{true, "z = 3"},
		{false, "## 2. A section"},
		{false, "Words of\ntwo lines."},
		{true, "print(z)  # last\n# the end"},
		{false, "## Figure 2"},
		{false, "What it shows:"},
		{true, "print(\"one line\")"},
		{false, `What \*is\* found,` + "\n" + `in V\_f.`},
		{true, "print(\"\"\"two\nlines\"\"\", z)"},
		{false, "## Peers\n\nMore of it."},
		{true, "print(\"\"\"not\nalone\"\"\"); print(z)"},
	}
	got, err := notebook.Cells("a.star", script)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	data := notebook.Encode(got, notebook.Info{Script: "dir/a.star"})
	if again, err := decode(data); err != nil || !slices.Equal(again, want) {
		t.Errorf("after writing and reading: %+v, %v", again, err)
	}
}

// Cells puts the boundaries between code and text where its documentation says.
func TestCellBoundaries(t *testing.T) {
	code, text := func(s string) notebook.Cell { return notebook.Cell{true, s} }, func(s string) notebook.Cell { return notebook.Cell{false, s} }
	for source, want := range map[string][]notebook.Cell{
		"x = 1\n# of x\n\ny = 2":                        {code("x = 1\n# of x\n\ny = 2")},
		"x = 1\n\ny = 2":                                {code("x = 1\n\ny = 2")},
		"x = 1\n\n\n\ny = 2\n":                          {code("x = 1\n\n\n\ny = 2")},
		"x = 1\n\n# The end.":                           {code("x = 1"), text("## The end")},
		"x = 1\n\n# The end.\n":                         {code("x = 1"), text("## The end")},
		"x = 1\n\n# of y\ny = 2":                        {code("x = 1\n\n# of y\ny = 2")},
		"print(1)\n\n# of y\ny = 2":                     {code("print(1)"), code("# of y\ny = 2")},
		"x = 1; print('''a\nb''')":                      {code("x = 1; print('''a\nb''')")},
		"print('''a\nb''')":                             {text("a\nb")},
		"print('''\na\nb\n''')\nx = 1":                  {text("a\nb"), code("x = 1")},
		"print('''a\nb''') # why":                       {code("print('''a\nb''') # why")},
		"print('''a\nb''', 1)":                          {code("print('''a\nb''', 1)")},
		"print()":                                       {code("print()")},
		"print('a')":                                    {code("print('a')")},
		"print(b'''a\nb''')":                            {code("print(b'''a\nb''')")},
		"show('''a\nb''')":                              {code("show('''a\nb''')")},
		"a.print('''a\nb''')":                           {code("a.print('''a\nb''')")},
		"'''a\nb'''":                                    {code("'''a\nb'''")},
		"print(a)":                                      {code("print(a)")},
		"x = print('''a\nb''')":                         {code("x = print('''a\nb''')")},
		"x = 1; y = 2\nz = \"notebooks/a\"":             {code("x = 1; y = 2\nz = \"a\"")},
		"load('a', 'b')\n\ndef f(): pass\n\nf()\n\nf()": {code("load('a', 'b')\n\ndef f(): pass\n\nf()"), code("f()")},
		"x = 1\n\n# Two:\n\n#   as it stands\n\ny = 2":  {code("x = 1"), text("Two:"), text("##     as it stands"), code("y = 2")},
		"# A title\n\n# ---- éa ----\n# b\n":            {text("# A title"), text("## Éa\n\nb")},
	} {
		if got, err := notebook.Cells("a.star", source); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives\n%+v, %v, want\n%+v", source, got, err, want)
		}
	}
}

// A notebook is written as nbformat 4.5 specifies, byte for byte.
func TestEncode(t *testing.T) {
	got := string(notebook.Encode([]notebook.Cell{{false, "a\nb"}, {true, "x = 1"}}, notebook.Info{Script: "dir/a.star", Date: "2026-01-02"}))
	want := `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "cell-1",
   "metadata": {},
   "source": [
    "a\n",
    "b"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cell-2",
   "metadata": {},
   "outputs": [],
   "source": [
    "x = 1"
   ]
  }
 ],
 "metadata": {
  "dpworkbench": {
   "script": "a.star",
   "date": "2026-01-02"
  },
  "kernelspec": {
   "display_name": "dpworkbench",
   "language": "starlark",
   "name": "dpworkbench"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`
	if got != want {
		t.Errorf("written is\n%s\nwant\n%s", got, want)
	}
}

func TestOpening(t *testing.T) {
	for comment, want := range map[string]string{
		"# How far? All at\n# one ε.\n#\n#   run": "# How far?\n\nAll at one ε.\n\n    run",
		"# A title.":             "# A title",
		"# A title. Δ is\n# one": "# A title\n\nΔ is one",
		"# A title\n#\n# More.":  "# A title\n\nMore.",
	} {
		got, err := notebook.Cells("a.star", comment+"\n")
		if err != nil || len(got) != 1 || got[0].Source != want {
			t.Errorf("%q gives %+v, %v, want %q", comment, got, err, want)
		}
	}
}

func TestCellsRefuse(t *testing.T) {
	if _, err := notebook.Cells("a.star", "x = = 1"); err == nil || !strings.Contains(err.Error(), "a.star:1:5") {
		t.Errorf("a syntax error gives %v", err)
	}
	if got, err := notebook.Cells("a.star", ""); err != nil || len(got) != 0 {
		t.Errorf("an empty script gives %+v, %v", got, err)
	}
}

// The repository's notebooks match their scripts and were executed with all their data.
func TestNotebooksAreFresh(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), ".") {
			continue // skips the temporary file of a notebook that is being executed
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		script := strings.TrimSuffix(file, ".ipynb") + ".star"
		source, err := os.ReadFile(script)
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := notebook.Cells(script, string(source))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is stale: run bash notebooks/execute %s", file, filepath.Base(script))
		}
		if !strings.Contains(string(data), `"output_type"`) || strings.Contains(string(data), `"output_type": "error"`) {
			t.Errorf("%s has no outputs, or failed", file)
		}
		if absent := regexp.MustCompile(`the data set [\w-]+ is not present`).FindString(outputsOf(t, data)); absent != "" {
			t.Errorf("%s was executed without its data: %s", file, absent)
		}
	}
}

// outputsOf returns what the cells of a notebook printed.
func outputsOf(t *testing.T, data []byte) string {
	t.Helper()
	var n struct {
		Cells []struct {
			Outputs []struct {
				Text []string `json:"text"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range n.Cells {
		for _, o := range c.Outputs {
			out.WriteString(strings.Join(o.Text, ""))
		}
	}
	return out.String()
}

// decode returns the cells of a notebook.
func decode(data []byte) ([]notebook.Cell, error) {
	var n struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	cells := make([]notebook.Cell, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = notebook.Cell{c.Type == "code", strings.Join(c.Source, "")}
	}
	return cells, nil
}
