package repl_test

import (
	"os"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two.": "One",
		"A mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a query. More.": "A mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a query",
		"Upper end: no smaller.": "Upper end",
		"Alone.":                 "Alone",
	} {
		if got := script.FirstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}

// Long names and types widen the columns of who.
func TestWhoKeepsColumns(t *testing.T) {
	var out strings.Builder
	s := repl.NewSession()
	s.Stdout = &out
	if _, err := s.Exec(t.Context(), "a", "x = 1\na_name_of_many_letters = staircase(linear_query([1]), 1)\nwho()"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || strings.Index(lines[0], "line_mechanism") != strings.Index(lines[1], "int") || strings.Index(lines[0], "<") != strings.LastIndex(lines[1], "1") {
		t.Errorf("who prints\n%s", out.String())
	}
}

// A question in words finds its topic: help falls back to a search, whose results have a total order.
func TestHelpSearches(t *testing.T) {
	s := repl.NewSession()
	for question, want := range map[string]string{
		"smallest epsilon":     ".smallest_epsilon",
		"ε at δ":               ".delta_at",
		"ratio optimum":        "ratio to optimum",
		"gaussian sigma":       "gaussian_sigma",
		"how to audit samples": "audit",
		"divergence":           "Rényi divergence",
		"csv":                  "read_csv",
		"smallest eps":         ".smallest_epsilon",
		"heat maps":            "heatmap",
		"graphs":               "graphs",
		"sensitivities":        "sensitivity",
		"gaussian mechanism":   "Gaussian mechanism",
		"analytic gaussian":    "Gaussian mechanism",
		"noise multiplier":     ".noise_multiplier",
		"accountant":           "composition",
		"moments accountant":   "composition",
		"pld":                  "composition",
		"prv":                  "composition",
		"rdp":                  "Rényi divergence",
		"sgd":                  "subsampling",
		"dp-sgd":               "dp_sgd",
		"advanced composition": "composition",
		"filter":               "privacy filter",
		"odometer":             ".odometer",
		"privacy filter":       "privacy filter",
	} {
		found := s.Apropos(question, false)
		if first := strings.Fields(found + " nothing nothing"); !strings.HasPrefix(strings.TrimSpace(found), want) {
			t.Errorf("apropos(%q) begins with %s, not %s:\n%s", question, first[0], want, found)
		}
		if again := repl.NewSession().Apropos(question, false); again != found {
			t.Errorf("apropos(%q) returns different orders", question)
		}
	}
	if got := s.Help("smallest epsilon"); !strings.Contains(got, ".smallest_epsilon") || !strings.HasPrefix(got, "Nothing is called") {
		t.Errorf("help does not search: %s", got)
	}
	for name, want := range map[string]string{"smalest_epsilon": ".smallest_epsilon", "smalest_epsilonn": ".smallest_epsilon", ".smalest_epsilon": ".smallest_epsilon", "purset": "purest"} {
		first, list, _ := strings.Cut(s.Help(name), "\n")
		if !strings.Contains(first, "did you mean "+strings.TrimPrefix(want, ".")+"?") || !strings.HasPrefix(list, "    "+want+" ") && !strings.HasPrefix(list, "    "+want+"\n") || strings.Count(list, "    "+want+" ") > 1 {
			t.Errorf("help(%q) does not begin with %s:\n%s\n%s", name, want, first, list)
		}
	}
	if got := s.Help("purset"); !strings.Contains(got, "purest?") {
		t.Errorf("help(purset): %s", got)
	}
	if got := s.Apropos("acountant", false); !strings.Contains(got, "Did you mean accountant?\n    composition ") {
		t.Errorf("apropos does not suggest synonyms of the glossary: %s", got)
	}
	if got := s.Apropos("zzzz", true); got != "" {
		t.Errorf("zzzz is found: %s", got)
	}
	names, all := s.Apropos("epsilon", false), s.Apropos("epsilon", true)
	if len(all) <= len(names) || !strings.Contains(names, "all=True") || strings.Contains(all, "all=True") {
		t.Errorf("all=True gives %d bytes, and one screen %d", len(all), len(names))
	}
	if strings.Index(all, "smallest_epsilon") > strings.Index(all, "    audit") {
		t.Error("a match in the text is listed before a match by name")
	}
}

// The help of a type lists its attributes, with or without a value. The help of a function names the type of its
// result.
func TestHelpOfTypes(t *testing.T) {
	s := repl.NewSession()
	if got := s.Help("mechanism"); !strings.Contains(got, "smallest_epsilon") || !strings.Contains(got, "epsilon_at(delta)") {
		t.Errorf("help(mechanism) lists no attributes: %s", got)
	}
	if got := s.Help("privacy"); !strings.Contains(got, "adaptive") {
		t.Errorf("help(privacy) lists no attributes: %s", got)
	}
	if got := s.Help("purest"); !strings.Contains(got, `help("mechanism")`) {
		t.Errorf("help(purest) does not name its result type: %s", got)
	}
	if got := s.Help("epsilon_at"); !strings.Contains(got, "knorm.epsilon_at") {
		t.Errorf("help(epsilon_at) does not list the types: %s", got)
	}
	for _, name := range []string{"optimal", "compare", "mechanism", "ratio to optimum"} {
		if got := s.Help(name); !strings.Contains(got, "ratio_to_optimum") {
			t.Errorf("help(%q) does not name ratio_to_optimum", name)
		}
	}
}

// The glossary explains the terms in any spelling, and refers only to existing names.
func TestGlossary(t *testing.T) {
	s := repl.NewSession()
	docs := s.Manual()
	for _, word := range []string{"layer", "Layers", "decay", "ε", "epsilon", "delta", "delta-neighborhood", "δ-neighborhood", "neighbor relation", "neighbours", "kinds of evidence", "certified"} {
		if got := s.Help(word); !strings.Contains(got, "word of the field") {
			t.Errorf("help(%q) is %s", word, got)
		}
	}
	text, err := os.ReadFile("glossary.txt")
	if err != nil {
		t.Fatal(err)
	}
	terms := script.Terms(string(text))
	taken := make(map[string]string)
	for _, term := range terms {
		if term.Text == "" || strings.Contains(term.Text, "\n") {
			t.Errorf("%s is explained by %q, want one paragraph", term.Names[0], term.Text)
		}
		for _, name := range term.Names {
			if of := taken[strings.ToLower(name)]; of != "" && name != "δ" && name != "Δ" {
				t.Errorf("the name %s belongs to %s and %s", name, of, term.Names[0])
			}
			taken[strings.ToLower(name)] = term.Names[0]
		}
	}
	for _, term := range terms {
		for _, see := range term.See {
			if see = strings.TrimPrefix(see, "type "); docs[see] == nil && docs["type "+see] == nil && taken[strings.ToLower(see)] == "" {
				t.Errorf("%s refers to %s, which does not exist", term.Names[0], see)
			}
		}
	}
	if len(terms) < 30 {
		t.Errorf("only %d terms", len(terms))
	}
}
