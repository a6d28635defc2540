package serve

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"testing"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

var errPen = errors.New("the pen is dry")

// faulty is a picture that cannot be drawn in at least one of its formats.
type faulty struct {
	display.Picture
	svg bool
	png []byte
}

func (d faulty) SVG() ([]byte, error) {
	if d.svg {
		return []byte("<svg/>"), nil
	}
	return nil, errPen
}

func (d faulty) PNG() ([]byte, error) {
	if d.png == nil {
		return nil, errPen
	}
	return d.png, nil
}

// A picture that cannot be drawn sends no data.
func TestPicturesThatFail(t *testing.T) {
	for _, d := range []faulty{{}, {svg: true}, {svg: true, png: []byte("no picture")}} {
		data, metadata := map[string]any{}, map[string]any{}
		if err := drawInto(data, metadata, d); err == nil || d.png == nil && !errors.Is(err, errPen) || len(data)+len(metadata) > 0 {
			t.Errorf("%+v: %v, %v, %v", d, err, data, metadata)
		}
	}
}

// Evidence shows its value, its kind in the kind's color, and its bounds, with its source as a tool tip. On the page a
// picture has the size of its drawing.
func TestRichForms(t *testing.T) {
	v := &server{session: repl.NewSession().Session}
	shown := func(source, form string) (string, map[string]any) {
		t.Helper()
		x, err := v.session.Exec(t.Context(), "a", source+"\n")
		if err != nil {
			t.Fatal(err)
		}
		content, err := v.bundle(x)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := content["data"].(map[string]any)[form].(string)
		return text, content["metadata"].(map[string]any)
	}
	kind := func(color, name, rest string) string {
		return `<b style="color: #fff; background: ` + color + `; padding: 0 0.4em; border-radius: 0.3em">` + name + `</b>` + rest + `</span>`
	}
	for _, c := range []struct {
		number evidence.Number
		want   string
	}{
		{evidence.ExactLog{Argument: big.NewRat(3, 1)}, `<span title=""><code>1.09861228866811</code> ` + kind("#007a55", "exact", " <small>ln(3)</small>")},
		{evidence.Claimed{Value: 0.25, Provenance: evidence.From("Theorem <1>")}, `<span title="Theorem &lt;1&gt;"><code>0.25</code> ` + kind("#b45f00", "claimed", "")},
		{evidence.Estimated{Value: 0.5, Lo: 0.49, Hi: 0.51, Confidence: 0.99, Draws: 1000}, `<span title=""><code>0.5</code> ` + kind("#a05080", "estimated", " <small>in [0.489999, 0.510001] with confidence 0.99, 1000 draws</small>")},
		{evidence.Certified{Lo: 1.25, Hi: 1.25, Provenance: evidence.From("a sum")}, `<span title="a sum"><code>1.25</code> ` + kind("#0072b2", "certified", "")},
	} {
		if got := evidenceHTML(script.Known(c.number).(*script.Evidence)); got != c.want {
			t.Errorf("%v is shown as\n%s\nwant\n%s", c.number, got, c.want)
		}
	}
	svg, metadata := shown("line_plot([1, 4, 9])", "image/svg+xml")
	size := metadata["image/png"].(map[string]any)
	for _, side := range []string{"width", "height"} {
		m := regexp.MustCompile(side + `="([0-9.]+)`).FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("the drawing has no %s: %.200s", side, svg)
		}
		points, err := strconv.ParseFloat(m[1], 64)
		if got, want := float64(size[side].(int)), points*96/72; err != nil || got > want || got < want-1 { // rounded down to whole CSS pixels
			t.Errorf("the picture has the %s %v, want its drawing's %v", side, got, want)
		}
	}
}

// unshowable is a value that cannot be converted to text.
type unshowable struct{ starlark.Value }

func (unshowable) Type() string   { return "trap" }
func (unshowable) String() string { panic("no way") }

func (d faulty) Terminal(display.Caps) string { return "dry\n" }

// Showing a value that has no text returns an error. A figure that cannot be drawn is not displayed when it is saved.
func TestUnshowableValues(t *testing.T) {
	v, out := served(t)
	v.notebook = &notebook{}
	if err := v.show(unshowable{}); err == nil || err.Error() != "a trap cannot be shown: no way" {
		t.Errorf("shown: %v", err)
	}
	v.saved(faulty{})
	if got := sent(t, out); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}
