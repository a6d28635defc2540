package site

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
)

// notebook is a notebook as the playground reads it.
type notebook struct {
	Title string   `json:"title"`
	About string   `json:"about"`
	Cells []string `json:"cells"` // scripts, each below the preceding text as comments
}

const galleryHead = `<h1>Gallery</h1>
<p>Each notebook opens in the playground, where its cells can be edited and run. The first cells of most read
<code>quick = args.get("quick", 0)</code>: write 1 there for the short form, since a browser is slower than the
program.</p>
<ul>
`

// galleryItem is the entry of a notebook: its name, its title and what it is about.
const galleryItem = "<li><a href=\"index.html?notebook=%s\">%s</a>: %s</li>\n"

// gallery writes the notebooks of the checkout and a page that lists them.
func (o Options) gallery() error {
	files, err := filepath.Glob(filepath.Join(o.Root, "notebooks", "*.ipynb"))
	if err != nil {
		return err
	}
	var list strings.Builder
	list.WriteString(galleryHead)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		n, err := readNotebook(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		data, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if err := o.write("notebooks/"+name+".json", data); err != nil {
			return err
		}
		fmt.Fprintf(&list, galleryItem, name, html.EscapeString(n.Title), html.EscapeString(n.About))
	}
	list.WriteString("</ul>\n")
	return o.write("gallery.html", page("Gallery", "", "", list.String()))
}

// readNotebook reads a Jupyter notebook.
func readNotebook(file string) (n notebook, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return n, err
	}
	var in struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return n, err
	}
	comment := ""
	for _, c := range in.Cells {
		source := strings.Join(c.Source, "")
		if c.Type == "code" {
			n.Cells = append(n.Cells, comment+source)
			comment = ""
			continue
		}
		if n.Title == "" {
			n.Title, n.About = heading(source)
		}
		for line := range strings.Lines(source + "\n") {
			comment += strings.TrimRight("# "+line, " \n") + "\n"
		}
	}
	return n, nil
}

// heading returns the title of a text and its first paragraph.
func heading(text string) (title, about string) {
	title, rest, _ := strings.Cut(text, "\n")
	about, _, _ = strings.Cut(strings.TrimSpace(rest), "\n\n")
	return strings.TrimPrefix(title, "# "), strings.Join(strings.Fields(about), " ")
}
