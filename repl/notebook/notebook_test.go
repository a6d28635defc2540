package notebook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
	want := []Cell{
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
	got, err := Cells("a.star", script)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	data, err := Encode(got, Info{Script: "dir/a.star"})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := decode(data); err != nil || !slices.Equal(again, want) {
		t.Errorf("written and read: %+v, %v", again, err)
	}
}

func TestOpening(t *testing.T) {
	for comment, want := range map[string]string{
		"# How far? All at\n# one ε.\n#\n#   run": "# How far?\n\nAll at one ε.\n\n    run",
		"# A title.":             "# A title",
		"# A title. Δ is\n# one": "# A title\n\nΔ is one",
		"# A title\n#\n# More.":  "# A title\n\nMore.",
	} {
		got, err := Cells("a.star", comment+"\n")
		if err != nil || len(got) != 1 || got[0].Source != want {
			t.Errorf("%q gives %+v, %v, want %q", comment, got, err, want)
		}
	}
}

func TestCellsRefuse(t *testing.T) {
	if _, err := Cells("a.star", "x = = 1"); err == nil || !strings.Contains(err.Error(), "a.star:1:5") {
		t.Errorf("a syntax error gives %v", err)
	}
	if got, err := Cells("a.star", ""); err != nil || len(got) != 0 {
		t.Errorf("an empty script gives %+v, %v", got, err)
	}
}

// The notebooks of the repository are those of its scripts, and were executed with all of their data.
func TestNotebooksAreFresh(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), ".") {
			continue // one that is being executed
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
		want, err := Cells(script, string(source))
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
func decode(data []byte) ([]Cell, error) {
	var n struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	cells := make([]Cell, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = Cell{c.Type == "code", strings.Join(c.Source, "")}
	}
	return cells, nil
}
