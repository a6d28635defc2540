package script

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// topic is a page of the reference: the built-ins of a section and the types that they return and no earlier page has.
type topic struct {
	Title, File string // file without its ending
	Brief       bool   // Markdown has one row for each entry
	Entries     []*Doc
	types       [][]*Doc // each type with its attributes
}

// topics returns the manual by topic. The last two are the names of Starlark itself and the terms of the glossary.
func (s *Session) topics() []topic {
	var out []topic
	placed := make(map[string]bool)
	for _, r := range s.sections() {
		t := topic{Title: r.Title, File: Anchor(r.Title)}
		for _, b := range r.Builtins {
			t.Entries = append(t.Entries, b.doc)
		}
		out = append(out, t)
	}
	for _, first := range []bool{true, false} { // first the main result of each built-in, then its other results
		for i := range out {
			for _, d := range out[i].Entries {
				results := d.declared().results()
				if first {
					results = results[:1]
				}
				for _, name := range results {
					out[i].add(s.typeOf(name), placed)
				}
			}
		}
	}
	for i := range out {
		for k := 0; k < len(out[i].types); k++ { // then the results of attributes
			for _, d := range out[i].types[k][1:] {
				for _, name := range d.declared().results() {
					out[i].add(s.typeOf(name), placed)
				}
			}
		}
	}
	rest := topic{Title: "Other types of values", File: "other-types"}
	for _, t := range s.types() {
		rest.add(t, placed)
	}
	if len(rest.types) > 0 {
		out = append(out, rest)
	}
	python := topic{Title: "Of Python", File: "python", Brief: true}
	docs := languageDocs()
	for name, d := range s.Manual() {
		if strings.HasPrefix(name, "json.") {
			docs[name] = d
		}
	}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		python.Entries = append(python.Entries, docs[name])
	}
	out = append(out, python)
	if len(s.vocabulary.Terms) > 0 {
		words := topic{Title: "Words of the field", File: "words-of-the-field"}
		for i := range s.vocabulary.Terms {
			words.Entries = append(words.Entries, s.vocabulary.Terms[i].doc())
		}
		out = append(out, words)
	}
	return out
}

func (t *topic) add(of *class, placed map[string]bool) {
	if of == nil || placed[of.name] {
		return
	}
	placed[of.name] = true
	t.types = append(t.types, of.manual())
}

// item is an entry of a topic on a page.
type item struct {
	*Doc
	Title  string // the name with its parameters, "type name" of a type
	Anchor string
	Mark   string // the prefix of its heading in Markdown
	Level  int    // the level of its heading in HTML, 3 for attributes
}

// Paragraphs returns the paragraphs of the help text.
func (i item) Paragraphs() []string {
	return each(slices.Collect(strings.Lines(i.Help)), strings.TrimSpace)
}

// Code returns the example.
func (i item) Code() string { return strings.TrimRight(i.Example, "\n") }

// Bare returns the title without parameters.
func (i item) Bare() string { return strings.TrimSuffix(i.Title, i.parameters()) }

// Heads returns the entries of a topic, or its types if it has no entries.
func (t topic) Heads() (out []item) {
	for _, d := range t.Entries {
		out = append(out, item{d, d.title(), Anchor(d.Name), "##", 2})
	}
	for _, of := range t.types {
		if len(t.Entries) == 0 {
			out = append(out, typeItem(of[0]))
		}
	}
	return out
}

func typeItem(d *Doc) item { return item{d, "type " + d.Name, Anchor("type " + d.Name), "## Type", 2} }

// Items returns the entries of a topic, then its types, each with its attributes.
func (t topic) Items() (out []item) {
	if len(t.Entries) > 0 {
		out = t.Heads()
	}
	for _, of := range t.types {
		out = append(out, typeItem(of[0]))
		out = append(out, each(of[1:], attributeItem)...)
	}
	return out
}

func attributeItem(d *Doc) item { return item{d, d.title(), Anchor(d.Name), "###", 3} }

// described is a type on a page of Markdown.
type described struct {
	item
	Setup string // the lines with which the examples of Rows begin; "" if the example of the type has them
	Rows  []item // the attributes with a row in a table
	Rest  []item // the attributes whose examples have blocks, which no row can hold
}

// Types returns the types of a topic.
func (t topic) Types() []described {
	return each(t.types, func(of []*Doc) described {
		d := described{item: typeItem(of[0])}
		for _, a := range each(of[1:], attributeItem) {
			if strings.Contains(a.Example, "\n ") || strings.HasPrefix(a.Line(), "for ") {
				d.Rest = append(d.Rest, a)
				continue
			}
			d.Rows = append(d.Rows, a)
			if !strings.HasPrefix(d.Example, a.setup) {
				d.Setup = strings.TrimRight(a.setup, "\n")
			}
		}
		return d
	})
}

// Line returns the example without the lines of its type, on one line.
func (i item) Line() string {
	return strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(i.Example, i.setup), "\n"), "\n", "; ")
}

//go:embed reference.tmpl
var referenceFile string

//go:embed reference.css
var referenceStyle string

//go:embed reference.js
var referenceScript string

// referenceTemplates are the pages of the reference. A Markdown title begins with "Reference", because some topics have
// the name of one of their entries.
var referenceTemplates = template.Must(template.New("reference").Funcs(template.FuncMap{
	"md": EscapeMarkdown,
	"cell": func(text string) string {
		return strings.ReplaceAll(EscapeMarkdown(strings.TrimSpace(text)), "\n", "<br>")
	},
	"bar":    func(code string) string { return strings.ReplaceAll(code, "|", `\|`) }, // escapes code in a table
	"style":  func() string { return referenceStyle },
	"script": func() string { return referenceScript },
}).Parse(referenceFile))

// fill returns a page of the reference.
func fill(name string, data any) string {
	var b strings.Builder
	if err := referenceTemplates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // writing to a strings.Builder cannot fail
	}
	return b.String()
}

// Reference returns the manual by topic, without an index, as Markdown in which each attribute has a heading.
func (s *Session) Reference() string {
	return strings.Join(each(s.topics(), func(t topic) string { return fill("topic", t) }), "\n")
}

// ReferencePages returns the manual as pages of Markdown by topic, by the names of their files. The attributes of a type
// share a table. README.md is the index of all names.
func (s *Session) ReferencePages() map[string]string {
	pages := make(map[string]string)
	type link struct {
		Name, To   string
		Attributes []link // of a type
	}
	var all []link
	topics := s.topics()
	for _, t := range topics {
		for _, i := range t.Items() {
			to := t.File + ".md#" + i.Anchor
			if i.Level == 2 {
				all = append(all, link{Name: i.Title, To: to})
				continue
			}
			_, short, _ := CutLast(i.Name, ".")
			of := &all[len(all)-1]
			of.Attributes = append(of.Attributes, link{Name: short, To: to})
		}
		pages[t.File+".md"] = fill("markdown page", t)
	}
	slices.SortFunc(all, func(a, b link) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	pages["README.md"] = fill("index", map[string]any{"Topics": topics, "Links": all})
	return pages
}

// found is an entry of the search on index.html.
type found struct {
	Name  string `json:"n"` // with its parameters
	Topic string `json:"t"`
	Place string `json:"p"`
	Help  string `json:"h"`
}

// ReferenceSite returns the manual as HTML pages by topic, by the names of their files. index.html lists all names and
// has a search that runs in the page, without a server or a network.
func (s *Session) ReferenceSite() map[string]string {
	pages := make(map[string]string)
	topics := s.topics()
	var entries []found
	for _, t := range topics {
		for _, i := range t.Items() {
			entries = append(entries, found{i.Title, t.Title, t.File + ".html#" + i.Anchor, i.Help})
		}
		pages[t.File+".html"] = fill("page", map[string]any{"Title": t.Title, "Topics": topics, "Items": t.Items()})
	}
	list, err := json.Marshal(entries) // json.Marshal writes < as \u003c, so no text can end the script element
	if err != nil {
		panic(err)
	}
	pages["index.html"] = fill("page", map[string]any{"Title": "Reference", "Topics": topics, "Entries": string(list)})
	return pages
}
