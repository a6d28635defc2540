package serve

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"image/png"
	"strings"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// bundle returns a value as a client displays it: text for every value, HTML for tables and evidence, SVG and PNG for
// pictures.
func (v *server) bundle(x starlark.Value) (content map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			content, err = nil, fmt.Errorf("a %s cannot be shown: %v", x.Type(), r)
		}
	}()
	data, metadata := map[string]any{"text/plain": v.session.Show(x)}, map[string]any{}
	if err := drawInto(data, metadata, script.Figure(x)); err != nil {
		return nil, err
	}
	if e, ok := x.(*script.Evidence); ok {
		data["text/html"] = evidenceHTML(e)
	}
	return map[string]any{"data": data, "metadata": metadata}, nil
}

// drawInto adds a table as HTML, or a picture as SVG and as PNG of the same size. Other figures add nothing.
func drawInto(data, metadata map[string]any, f display.Figure) error {
	if t, ok := f.(*display.Table); ok {
		data["text/html"] = t.HTML()
	}
	p, ok := f.(display.Picture)
	if !ok {
		return nil
	}
	svg, err := p.SVG()
	if err != nil {
		return err
	}
	pixels, err := p.PNG()
	if errors.Is(err, display.ErrFormat) {
		data["image/svg+xml"] = string(svg)
		return nil
	}
	if err != nil {
		return err
	}
	size, err := png.DecodeConfig(bytes.NewReader(pixels))
	if err != nil {
		return err
	}
	data["image/svg+xml"], data["image/png"] = string(svg), base64.StdEncoding.EncodeToString(pixels)
	const pngDPI, cssDPI = 200, 96 // dots per inch in the file, and CSS pixels per inch
	metadata["image/png"] = map[string]any{"width": size.Width * cssDPI / pngDPI, "height": size.Height * cssDPI / pngDPI}
	return nil
}

// kindColors show the kind of evidence, from the weakest in orange to the strongest in green. Readers with any colour
// vision can tell them apart. They are dark enough for white text, so they work in light and dark notebooks.
var kindColors = map[evidence.Kind]string{
	evidence.KindClaimed:   "#b45f00",
	evidence.KindEstimated: "#a05080",
	evidence.KindCertified: "#0072b2",
	evidence.KindExact:     "#007a55",
}

// evidenceHTML returns a number as HTML with its kind. The number's source is a tool tip.
func evidenceHTML(e *script.Evidence) string {
	n := e.Number()
	value, known, _ := strings.Cut(strings.TrimSuffix(e.String(), ")"), " (")
	kind, rest, _ := strings.Cut(known, ":")
	if rest != "" {
		rest = " <small>" + html.EscapeString(strings.TrimSpace(rest)) + "</small>"
	}
	return fmt.Sprintf(`<span title="%s"><code>%s</code> <b style="color: #fff; background: %s; padding: 0 0.4em; border-radius: 0.3em">%s</b>%s</span>`,
		html.EscapeString(n.Origin()), html.EscapeString(value), kindColors[n.Kind()], html.EscapeString(kind), rest)
}
