package certificate_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/internal/must"
)

// Strings are written in ASCII, and JSON readers restore them.
func TestStringsInASCII(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 25))
	all := []rune{0, 1, '\n', '\t', 0x1f, ' ', '"', '\\', '/', '~', 0x7f, 0x80, 'é', 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10001, '𝔽', 0x10ffff}
	for range 300 {
		var s strings.Builder
		for range rng.IntN(12) {
			if r := rune(rng.IntN(0x110000)); rng.IntN(3) == 0 && (r < 0xd800 || r > 0xdfff) {
				s.WriteRune(r)
			} else {
				s.WriteRune(all[rng.IntN(len(all))])
			}
		}
		text := must.For((&certificate.File{Version: s.String()}).Encode(""))(t)
		line := bytes.Split(text, []byte("\n"))[1]
		for _, b := range line {
			if b < ' ' || b > '~' {
				t.Fatalf("%q is written as %q", s.String(), line)
			}
		}
		var got struct{ Version string }
		if err := json.Unmarshal(text, &got); err != nil || got.Version != s.String() {
			t.Fatalf("%q is written as %s, which decodes to %q, %v", s.String(), line, got.Version, err)
		}
	}
}
