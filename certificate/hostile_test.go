package certificate_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/internal/must"
)

// mark stands where a text is to have what no value is.
const mark = "@here@"

// Files of every kind that are cut short, or have a number of 10^6 digits, brackets a million deep, a key twice or what is no number
// are rejected in one line.
func TestHostileFiles(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 3))
	originals := certificate.Originals(t)
	refutation := must.For(os.ReadFile("ledger/xor.theorem3.json"))(t)
	originals[kindOf(t, refutation)] = [][]byte{refutation}
	var files []string
	save := func(name string, text []byte) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	long := strings.Repeat("9", 1_000_000)
	brackets := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	values := map[string]string{"digits": long, "quotient": "1/" + long, "power": "3*2^" + long, "dyadic": long + "*2^-3", "minus": "-" + long}
	texts := map[string]string{
		"whole": long, "nan": "NaN", "infinity": "-Infinity", "fraction": "0.5", "deep": brackets(1_000_000), "shallow": brackets(500), "object": strings.Repeat(`{"a":`, 100_000),
	}
	for k, kind := range slices.Sorted(maps.Keys(originals)) { // every second of them for a kind
		text := slices.MinFunc(originals[kind], func(a, b []byte) int { return len(a) - len(b) })
		with := func(what string, value any, as string) {
			file := decoded(t, text)
			statement := file["statement"].(map[string]any)
			if value == nil { // a key twice
				keys := slices.Sorted(maps.Keys(statement))
				key := keys[rng.IntN(len(keys))]
				statement[mark], as = statement[key], `"`+key+`"`
			} else {
				all := leaves(statement)
				all[rng.IntN(len(all))](value)
			}
			sum := sha256.Sum256(ascii(file["statement"]))
			file["sha256"] = hex.EncodeToString(sum[:])
			save(fmt.Sprintf("%s_%s.json", strings.ReplaceAll(kind, " ", "_"), what), bytes.Replace(ascii(file), []byte(`"`+mark+`"`), []byte(as), 1))
		}
		for i, what := range slices.Sorted(maps.Keys(values)) {
			if i%2 == k%2 {
				with(what, values[what], "")
			}
		}
		for i, what := range slices.Sorted(maps.Keys(texts)) {
			if i%2 == k%2 {
				with(what, mark, texts[what])
			}
		}
		with("twice", nil, "")
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		must.For(z.Write(text))(t)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		save(strings.ReplaceAll(kind, " ", "_")+"_cut.json.gz", packed.Bytes()[:rng.IntN(packed.Len())])
		save(strings.ReplaceAll(kind, " ", "_")+"_cut.json", text[:rng.IntN(len(text)-2)])
	}
	for file, said := range certificate.Checker(t, files) {
		if !strings.HasPrefix(said, "rejected: ") || strings.Contains(said, "cannot be checked") || len(said) > 1000 {
			t.Errorf("%s: %.300s", filepath.Base(file), said)
		}
	}
	t.Logf("%d files", len(files))
}

// leaves returns what sets each text and number that a value holds, but for words to the reader.
func leaves(v any) (set []func(any)) {
	each := func(x any, to func(any)) {
		switch x.(type) {
		case string, json.Number:
			set = append(set, to)
		default:
			set = append(set, leaves(x)...)
		}
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			each(x, func(y any) { v[i] = y })
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains([]string{"kind", "name", "claim", "says"}, key) {
				each(v[key], func(y any) { v[key] = y })
			}
		}
	}
	return set
}
