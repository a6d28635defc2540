package script

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// topic is a page of the reference: a room's built-ins, and the types that they first
// give.
type topic struct {
	title, file string // file without its ending
	brief       bool   // Markdown has a line for each entry
	entries     []*Doc
	types       [][]*Doc // each type with its attributes
}

// topics returns the manual by topic, what Starlark brings and the words of the field last.
func (s *Session) topics() []topic {
	var out []topic
	placed := make(map[string]bool)
	for _, r := range s.rooms() {
		t := topic{title: r.Title, file: Anchor(r.Title)}
		for _, b := range r.Builtins {
			t.entries = append(t.entries, b.doc)
		}
		out = append(out, t)
	}
	for _, first := range []bool{true, false} { // what a built-in gives above all, and then else
		for i := range out {
			for _, d := range out[i].entries {
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
		for k := 0; k < len(out[i].types); k++ { // and what the attributes of these give
			for _, d := range out[i].types[k][1:] {
				for _, name := range d.declared().results() {
					out[i].add(s.typeOf(name), placed)
				}
			}
		}
	}
	rest := topic{title: "Other types of values", file: "other-types"}
	for _, t := range s.types() {
		rest.add(t, placed)
	}
	if len(rest.types) > 0 {
		out = append(out, rest)
	}
	python := topic{title: "Of Python", file: "python", brief: true}
	docs := languageDocs()
	for name, d := range s.Manual() {
		if strings.HasPrefix(name, "json.") {
			docs[name] = d
		}
	}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		python.entries = append(python.entries, docs[name])
	}
	out = append(out, python)
	if len(s.vocabulary.Terms) > 0 {
		words := topic{title: "Words of the field", file: "words-of-the-field"}
		for i := range s.vocabulary.Terms {
			words.entries = append(words.entries, s.vocabulary.Terms[i].doc())
		}
		out = append(out, words)
	}
	return out
}

func (t *topic) add(of Type, placed map[string]bool) {
	if of == nil || placed[of.typeName()] {
		return
	}
	placed[of.typeName()] = true
	t.types = append(t.types, of.manual())
}

// typeAnchor is what a type's heading is linked by.
func typeAnchor(d *Doc) string { return Anchor("type " + d.Name) }

// markdown returns the topic as a page; below stands under its title, which begins with
// "Reference" since some topics are called like one of their entries.
func (t *topic) markdown(below string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Reference: %s\n%s", t.title, below)
	if t.brief {
		b.WriteString("\n| name | meaning | example |\n|---|---|---|\n")
	}
	for _, d := range t.entries {
		if t.brief {
			example := strings.NewReplacer("\n", "; ", "|", `\|`).Replace(strings.TrimRight(d.Example, "\n"))
			fmt.Fprintf(&b, "| <a id=\"%s\"></a>`%s` | %s | `%s` |\n", Anchor(d.Name), d.title(), EscapeMarkdown(d.Help), example)
			continue
		}
		b.WriteString(d.markdown("##"))
	}
	for _, entries := range t.types {
		b.WriteString(entries[0].markdown("## Type"))
		for _, d := range entries[1:] {
			b.WriteString(d.markdown("###"))
		}
	}
	return b.String()
}

// Reference returns the pages by topic one after the other, without the index.
func (s *Session) Reference() string {
	var out []string
	for _, t := range s.topics() {
		out = append(out, t.markdown(""))
	}
	return strings.Join(out, "\n")
}

// ReferencePages returns the manual as pages of Markdown by topic, by the names of
// their files; README.md is the index of all names.
func (s *Session) ReferencePages() map[string]string {
	pages := make(map[string]string)
	var index strings.Builder
	index.WriteString("# Reference\n\nEvery name that scripts know, each on the page of its topic, generated from the text that `help(name)` prints. A test runs every example. " +
		"`workbench reference` prints all pages one after the other; `workbench reference --html DIR` writes them with a search.\n\n" +
		"Scripts are Starlark, a dialect of Python, in which `while`, recursion, loops at top level and redefinition are allowed. " +
		"An int is accepted wherever a float is. Scalar answers are evidence: numbers that know how they are known.\n\n| topic | names |\n|---|---|\n")
	type link struct {
		name, to   string
		attributes []link // of a type
	}
	var all []link
	for _, t := range s.topics() {
		var names strings.Builder
		for i, d := range t.entries {
			to := t.file + ".md#" + Anchor(d.Name)
			all = append(all, link{name: d.title(), to: to})
			if i > 0 {
				names.WriteString(", ")
			}
			fmt.Fprintf(&names, "[%s](%s)", EscapeMarkdown(d.Name), to)
		}
		for _, entries := range t.types {
			of := link{name: "type " + entries[0].Name, to: t.file + ".md#" + typeAnchor(entries[0])}
			for _, d := range entries[1:] {
				of.attributes = append(of.attributes, link{name: strings.TrimPrefix(d.Name, entries[0].Name+"."), to: t.file + ".md#" + Anchor(d.Name)})
			}
			all = append(all, of)
		}
		if len(t.entries) == 0 {
			for i, entries := range t.types {
				if i > 0 {
					names.WriteString(", ")
				}
				fmt.Fprintf(&names, "[%s](%s.md#%s)", entries[0].Name, t.file, typeAnchor(entries[0]))
			}
		}
		fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", t.title, t.file, names.String())
		pages[t.file+".md"] = t.markdown("\n[All topics](README.md)\n")
	}
	index.WriteString("\n## Index\n\n")
	slices.SortFunc(all, func(a, b link) int { return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) })
	for _, l := range all {
		fmt.Fprintf(&index, "- [`%s`](%s)", l.name, l.to)
		for i, a := range l.attributes {
			fmt.Fprintf(&index, "%s [%s](%s)", map[bool]string{true: ":", false: ","}[i == 0], a.name, a.to)
		}
		index.WriteString("\n")
	}
	pages["README.md"] = index.String()
	return pages
}

//go:embed reference.css
var referenceStyle string

//go:embed reference.js
var referenceScript string

// found is an entry as the search of index.html knows it.
type found struct {
	Name  string `json:"n"` // with its parameters
	Topic string `json:"t"`
	Place string `json:"p"`
	Help  string `json:"h"`
}

// ReferenceSite returns the manual as HTML pages by topic, by the names of their files.
// index.html lists all names and searches them, by a script of its own, without a
// server or a network.
func (s *Session) ReferenceSite() map[string]string {
	pages := make(map[string]string)
	topics := s.topics()
	var menu strings.Builder
	for _, t := range topics {
		fmt.Fprintf(&menu, "<a href=\"%s.html\">%s</a>\n", t.file, html.EscapeString(t.title))
	}
	page := func(title, body, script string) string {
		heading := html.EscapeString(title)
		return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" + heading + "</title>\n<style>\n" + referenceStyle + "</style>\n</head>\n<body>\n<nav>\n" +
			"<form action=\"index.html\"><input name=\"q\" type=\"search\" placeholder=\"search\" aria-label=\"search\"></form>\n<a href=\"index.html\">Index</a>\n" + menu.String() + "</nav>\n<main>\n<h1>" + heading + "</h1>\n" + body + "</main>\n" + script + "</body>\n</html>\n"
	}
	var entries []found
	var index strings.Builder
	index.WriteString("<p>The vocabulary of scripts, prompt and notebooks, from the text that <code>help(name)</code> prints. Words of the search may stand anywhere in a name or its text.</p>\n<ol id=\"found\"></ol>\n<div id=\"all\">\n")
	for _, t := range topics {
		var body strings.Builder
		fmt.Fprintf(&index, "<h2><a href=\"%s.html\">%s</a></h2>\n<p>", t.file, html.EscapeString(t.title))
		note := func(d *Doc, anchor, name string) {
			place := t.file + ".html#" + anchor
			entries = append(entries, found{name, t.title, place, d.Help})
			fmt.Fprintf(&index, "<a href=\"%s\"><code>%s</code></a> ", place, html.EscapeString(strings.TrimSuffix(name, d.parameters())))
		}
		for _, d := range t.entries {
			body.WriteString(d.page(2, Anchor(d.Name), d.title()))
			note(d, Anchor(d.Name), d.title())
		}
		for _, of := range t.types {
			body.WriteString(of[0].page(2, typeAnchor(of[0]), "type "+of[0].Name))
			note(of[0], typeAnchor(of[0]), "type "+of[0].Name)
			for _, d := range of[1:] {
				body.WriteString(d.page(3, Anchor(d.Name), d.title()))
				note(d, Anchor(d.Name), d.title())
			}
		}
		index.WriteString("</p>\n")
		pages[t.file+".html"] = page(t.title, body.String(), "")
	}
	index.WriteString("</div>\n")
	list, err := json.Marshal(entries) // which writes < as \u003c: no text ends the script
	if err != nil {
		panic(err)
	}
	pages["index.html"] = page("Reference", index.String(), "<script>\nconst entries = "+string(list)+";\n"+referenceScript+"</script>\n")
	return pages
}

// page returns an entry as HTML under a heading of a level.
func (d *Doc) page(level int, anchor, title string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<section id=\"%s\">\n<h%d><a href=\"#%[1]s\"><code>%[3]s</code></a></h%[2]d>\n", anchor, level, html.EscapeString(title))
	for line := range strings.Lines(d.Help) {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(strings.TrimSpace(line)))
	}
	if d.Example != "" {
		fmt.Fprintf(&b, "<pre>%s</pre>\n", html.EscapeString(strings.TrimRight(d.Example, "\n")))
	}
	b.WriteString("</section>\n")
	return b.String()
}
