package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// helpWidth is the number of columns help text is wrapped to.
const helpWidth = 78

// docOf returns the manual entry of a value, or nil.
func (s *Session) docOf(v starlark.Value) *Doc {
	switch v := v.(type) {
	case *Function:
		return v.doc
	case Inspectable:
		return s.manual[v.Type()]
	case *starlark.Builtin:
		if recv := v.Receiver(); recv != nil {
			return s.manual[recv.Type()+"."+v.Name()]
		}
		return s.manual[v.Name()]
	case *starlark.Function:
		return scriptDoc(v)
	case starlark.NoneType, starlark.Bool:
		return s.manual[v.String()]
	case *starlarkstruct.Module:
		return s.manual[v.Name]
	}
	return nil
}

// scriptDoc returns an entry for a function defined in a script.
func scriptDoc(f *starlark.Function) *Doc {
	d := &declaration{name: f.Name(), callable: true}
	for i := range f.NumParams() {
		p := param{fallback: f.ParamDefault(i)}
		p.name, _ = f.Param(i)
		if p.fallback != nil {
			p.literal = Brief(p.fallback)
		}
		d.params = append(d.params, p)
	}
	help := f.Doc()
	if help == "" {
		help = "Defined at " + f.Position().String() + ", without a text of its own: a string as the first line of a function is its help."
	}
	return &Doc{Name: f.Name(), Help: help, read: d}
}

// lookupDoc finds the entry of a name such as "purest", "mechanism.distortion"
// or "m.distortion", where m has a value.
func (s *Session) lookupDoc(name string) *Doc {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	base, attr, dotted := CutLast(name, ".")
	if o, ok := s.evalNames(base).(Inspectable); ok && dotted {
		if d := o.attrDoc(attr); d != nil {
			return d
		}
	}
	if d := s.manual[name]; d != nil && dotted {
		return d
	}
	if d := s.docOf(s.evalNames(name)); d != nil {
		return d
	}
	return s.manual[name]
}

// CutLast slices text around the last sep.
func CutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// render formats an entry: title, meaning, further text, example.
func (d *Doc) render(more string) string {
	text := d.title() + "\n" + indented(wrapText(d.Help+more, helpWidth-4))
	if d.Example != "" {
		text += "  Example:\n" + indented(strings.Split(strings.TrimRight(d.Example, "\n"), "\n"))
	}
	return text
}

// indented joins lines, each indented by four blanks.
func indented(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// wrapText breaks text at blanks into lines of at most width characters. Line breaks in the text stay.
func wrapText(text string, width int) []string {
	var out []string
	for paragraph := range strings.Lines(text) {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			switch longer := line + " " + word; {
			case line == "":
				line = word
			case utf8.RuneCountInString(longer) > width:
				out, line = append(out, line), word
			default:
				line = longer
			}
		}
		out = append(out, line)
	}
	return out
}

// Help returns the text that help prints about a name, such as "purest", "mechanism.layers", or "m.layers" if m has a
// value. For "" it is the overview.
func (s *Session) Help(name string) string {
	if name == "" {
		return s.overview()
	}
	return s.helpOn(starlark.String(name))
}

// Manual returns every entry of the manual by name. The names of types and of their attributes follow the word "type ",
// as in "type matrix.rows". The value of a name without an entry is nil.
func (s *Session) Manual() map[string]*Doc {
	docs := make(map[string]*Doc)
	for name, v := range s.base {
		docs[name] = s.docOf(v)
		if m, ok := v.(*starlarkstruct.Module); ok {
			for member := range m.Members {
				docs[name+"."+member] = s.memberDoc(m, member)
			}
		}
	}
	for _, v := range []starlark.HasAttrs{starlark.NewList(nil), starlark.NewDict(0), starlark.NewSet(0), starlark.String(""), starlark.Bytes("")} {
		for _, name := range v.AttrNames() {
			docs[v.Type()+"."+name] = s.memberDoc(v, name)
		}
	}
	for _, t := range s.types() {
		for _, d := range t.manual() {
			docs["type "+d.Name] = d
		}
	}
	return docs
}

// helpOn returns the text of help(v).
func (s *Session) helpOn(v starlark.Value) string {
	name, ok := starlark.AsString(v)
	if !ok {
		return s.about(s.docOf(v), v)
	}
	t := s.term(name)
	if d := s.lookupDoc(name); d != nil {
		text := s.about(d, s.evalNames(strings.TrimSuffix(strings.TrimSpace(name), "()")))
		if t != nil {
			text += "\n" + t.render()
		}
		return text
	}
	if t != nil {
		return t.render()
	}
	if text := s.attribute(strings.TrimPrefix(name, ".")); text != "" {
		return text
	}
	near, list := s.near(name)
	if near != "" {
		near = " (did you mean " + near + "?)"
	}
	if list != "" {
		return fmt.Sprintf("Nothing is called %q%s. What comes near it:\n", name, near) + list
	}
	text := fmt.Sprintf("There is no help on %q. help() lists everything, apropos(\"…\") searches it; a name without quotes works too.", name)
	return strings.Join(wrapText(text, helpWidth), "\n") + "\n"
}

// attribute returns the help on an attribute from every type that has it, or "" if no type has it.
func (s *Session) attribute(name string) string {
	text := ""
	for _, t := range s.types() {
		for _, d := range t.manual()[1:] {
			if _, short, _ := CutLast(d.Name, "."); short == name {
				text += d.title() + "\n" + indented(wrapText(d.Help, helpWidth-4))
			}
		}
	}
	return text
}

// about returns the help text of an entry and a value. Either of them may be nil.
func (s *Session) about(d *Doc, v starlark.Value) string {
	if d == nil {
		return fmt.Sprintf("A value of type %s.\n", v.Type()) + s.members(v)
	}
	if members := s.members(v); members != "" {
		return d.render("") + members
	}
	if t := s.typeOf(d.Name); t != nil {
		return d.render("") + attributeList(t)
	}
	return d.render(s.results(d))
}

// results returns a line that names the topics of help for the attributes of a call's result, or "" if the result has
// none.
func (s *Session) results(d *Doc) string {
	var types, topics []string
	for _, name := range d.declared().results() {
		if t := s.typeOf(name); t != nil && t.name != "evidence" {
			types, topics = append(types, article(name)+name), append(topics, fmt.Sprintf("help(%q)", name))
		}
	}
	if len(types) == 0 {
		return ""
	}
	return fmt.Sprintf("\nReturns %s. Attributes and methods: %s.", strings.Join(types, " or "), strings.Join(topics, ", "))
}

// article returns "an " before the name of a type that begins with the sound of a vowel, and otherwise "a ".
func article(name string) string {
	if strings.ContainsRune("aeio", rune(name[0])) || strings.HasPrefix(name, "mvg") || strings.HasPrefix(name, "r1") {
		return "an "
	}
	return "a "
}

// attributeList lists the attributes of a type.
func attributeList(t *class) string {
	docs := t.manual()[1:]
	if len(docs) == 0 {
		return ""
	}
	slices.SortFunc(docs, func(a, b *Doc) int { return strings.Compare(a.Name, b.Name) })
	text := "  Attributes of " + article(t.name) + t.name + ":\n"
	for _, d := range docs {
		text += memberLine(d)
	}
	return text
}

// memberLine returns the line for an attribute in a list of attributes.
func memberLine(d *Doc) string {
	_, short, _ := CutLast(d.Name, ".")
	return entryLine(short+d.parameters(), d.Help)
}

// members lists the attributes of a value with the first sentence of their help.
func (s *Session) members(v starlark.Value) string {
	owner, ok := v.(starlark.HasAttrs)
	_, callable := v.(starlark.Callable)
	if !ok || callable || len(owner.AttrNames()) == 0 {
		return ""
	}
	text := "  Attributes:\n"
	for _, name := range slices.Sorted(slices.Values(owner.AttrNames())) {
		if d := s.memberDoc(v, name); d != nil {
			text += memberLine(d)
		} else {
			text += "    " + name + "\n"
		}
	}
	return text
}

// memberDoc returns the entry of an attribute of v, without computing the attribute.
func (s *Session) memberDoc(v starlark.Value, name string) *Doc {
	if o, ok := v.(Inspectable); ok {
		return o.attrDoc(name)
	}
	m, ok := v.(*starlarkstruct.Module)
	if !ok {
		return s.manual[v.Type()+"."+name]
	}
	if f, ok := m.Members[name].(*Function); ok {
		return f.doc
	}
	return s.manual[m.Name+"."+name]
}

// entryLine returns one line of a list: a title, and as much of the first sentence of its help as fits.
func entryLine(title, help string) string { return listLine(20, title, FirstSentence(help)) }

// listLine returns one line of a list: a title, and as much of its help as fits, from the given column on. A title that
// reaches the column gets a line of its own.
func listLine(column int, title, help string) string {
	lines := wrapText(help, helpWidth-4-column-1)
	switch {
	case len(lines) == 0:
		return "    " + title + "\n"
	case len(lines) > 1:
		lines[0] += "…"
	}
	if len([]rune(title)) >= column {
		return fmt.Sprintf("    %s\n    %-*s%s\n", title, column, "", lines[0])
	}
	return fmt.Sprintf("    %-*s%s\n", column, title, lines[0])
}

// FirstSentence returns a text up to its first full stop, semicolon or colon that a blank or a line end follows. Marks
// inside round brackets do not count.
func FirstSentence(text string) string {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth <= 0 && (c == '.' || c == ';' || c == ':') && (text[i+1] == ' ' || text[i+1] == '\n'):
			return text[:i]
		}
	}
	return strings.TrimSuffix(text, ".")
}

// overview returns the text of help().
func (s *Session) overview() string {
	const intro = "Scripts are Starlark, a Python dialect. help(name), or name? at the prompt, explains a name, help(\"layer\") a word of the glossary below, apropos(\"smallest epsilon\") searches all of it; Tab completes names, attributes and keywords. Answers carry their evidence: e.value, e.kind, e.lo, e.hi, e.source. What takes no arguments is written with or without (): q.size, c.plot()."
	text := strings.Join(wrapText(intro, helpWidth), "\n") + "\n"
	for _, r := range s.sections() {
		text += "\n" + r.Title + "\n"
		for _, e := range r.Builtins {
			text += entryLine(e.doc.Name, e.doc.Help)
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(languageDocs())), func(name string) bool { return strings.Contains(name, ".") })
	text += "\nOf Python\n" + indented(wrapText(strings.Join(names, " "), helpWidth-4))
	if len(s.vocabulary.Terms) > 0 {
		words := each(s.vocabulary.Terms, func(t Term) string { return t.Names[0] })
		text += "\nWords of the field\n" + indented(wrapText(strings.Join(words, ", "), helpWidth-4))
	}
	return text
}
