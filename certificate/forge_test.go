package certificate_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

// longest is the largest size in bytes of a certificate that is forged. In shorter certificates, random changes hit
// relevant places more often.
const longest = 20_000

// forgedKinds is the number of kinds of certificates.
const forgedKinds = 26

// place matches the indices and values in forge's description of a change. Without them, the description names a field.
var place = regexp.MustCompile(`\[\d+\]|:.*`)

// unread matches fields that do not affect the statement: text for readers, and the decay of layers, since the layers
// do not depend on it.
var unread = regexp.MustCompile(`\.(is\.\w+|name|says|claim|line|facts|decay.*)$`)

// Each forgery changes one digit, sign, index, bound or key of a certificate and updates the digest. The checker must
// reject it unless the number is still true. If all changes of a field are accepted, the checker does not read it.
func TestForgery(t *testing.T) {
	t.Parallel()
	forgeries := cases.Of(150, 1000)
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 2))
	originals := originals(t)
	keep := func(text []byte) { kind := kindOf(t, text); originals[kind] = append(originals[kind], text) }
	someNumbers(t, rng, 3, func(name string, n evidence.Number) {
		f := must.For(certificate.Of(context.Background(), n))(t)
		keep(must.For(f.Encode(name))(t))
	})
	for _, name := range must.For(filepath.Glob("ledger/*.json"))(t) {
		keep(must.For(os.ReadFile(name))(t))
	}
	kinds := slices.Sorted(maps.Keys(originals))
	if len(kinds) != forgedKinds {
		t.Fatalf("%d kinds of certificates, want %d: %q", len(kinds), forgedKinds, kinds)
	}
	for _, kind := range kinds {
		short := slices.DeleteFunc(originals[kind], func(text []byte) bool { return len(text) > longest })
		slices.SortFunc(short, func(a, b []byte) int { return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) })
		originals[kind] = short
	}
	type forgery struct {
		kind, how string
		original  []byte
	}
	var files []string
	of := make(map[string]forgery)
	for i := range forgeries {
		kind := kinds[i%len(kinds)]
		original := originals[kind][rng.IntN(len(originals[kind]))]
		forged, how := forge(t, rng, original)
		file := filepath.Join(dir, fmt.Sprintf("forged_%d.json", i))
		if err := os.WriteFile(file, forged, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		of[file] = forgery{kind, how, original}
	}
	said := checker(t, files)
	type count struct{ all, accepted int }
	fields, accepted := make(map[string]count), 0
	for _, file := range files {
		f := of[file]
		field := f.kind + ": " + place.ReplaceAllString(f.how, "")
		c := fields[field]
		c.all++
		if !strings.HasPrefix(said[file], "rejected: ") {
			c.accepted++
			accepted++
			if forged := must.For(os.ReadFile(file))(t); !intersects(t, f.original, forged) {
				t.Errorf("%s: %s: %.300s, but it excludes the true number\n%.3000s", f.kind, f.how, said[file], forged)
			}
		} else if strings.Contains(said[file], "cannot be checked") {
			t.Errorf("%s: %s: %s", f.kind, f.how, said[file])
		}
		fields[field] = c
	}
	for field, c := range fields {
		if c.all >= 4 && c.accepted == c.all && strings.Contains(field, ": statement") && !unread.MatchString(field) {
			t.Errorf("%s: all of %d changes are accepted", field, c.all)
		}
	}
	if accepted > forgeries/4 {
		t.Errorf("%d of %d forgeries are accepted", accepted, forgeries)
	}
}

// intersects reports whether the enclosures of the numbers in two certificates intersect.
func intersects(t testing.TB, original, forged []byte) bool {
	t.Helper()
	is := func(text []byte) map[string]any {
		m, _ := decoded(t, text)["statement"].(map[string]any)["is"].(map[string]any)
		return m
	}
	a, b := is(original), is(forged)
	if a == nil {
		return b == nil
	}
	for _, key := range []string{"equal", "ln"} {
		if x, y := a[key], b[key]; x != nil && y != nil && x != "inf" && y != "inf" {
			return rat(x.(string)).Cmp(rat(y.(string))) == 0
		}
	}
	ends := func(m map[string]any) (lo, hi float64) {
		end := func(key string) float64 {
			switch v, given := m[key].(string); {
			case given && v == "inf":
				return math.Inf(1)
			case given:
				f, _ := rat(v).Float64()
				return f
			}
			f, _ := rat(m["equal"].(string)).Float64()
			return f
		}
		return end("lo"), end("hi")
	}
	if a["ln"] != nil || b["ln"] != nil {
		return a["ln"] != nil && b["ln"] != nil
	}
	la, ha := ends(a)
	lb, hb := ends(b)
	return la <= hb && lb <= ha
}

// rat parses a number in a certificate.
func rat(text string) *big.Rat {
	over, power, _ := strings.Cut(text, "*2^")
	q, _ := new(big.Rat).SetString(over)
	if power != "" {
		e := must.Be(strconv.Atoi(power))
		shift := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
		if e < 0 {
			shift.Inv(shift)
		}
		q.Mul(q, shift)
	}
	return q
}

// decoded returns the content of a certificate, with numbers as ints.
func decoded(t testing.TB, text []byte) (file map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return whole(file).(map[string]any)
}

// whole returns a decoded value with its numbers converted to ints.
func whole(v any) any {
	switch v := v.(type) {
	case json.Number:
		return must.Be(strconv.Atoi(string(v)))
	case []any:
		for i, x := range v {
			v[i] = whole(x)
		}
	case map[string]any:
		for key, x := range v {
			v[key] = whole(x)
		}
	}
	return v
}

// kindOf returns the kind of a certificate.
func kindOf(t testing.TB, text []byte) string {
	t.Helper()
	var file struct{ Statement struct{ Kind string } }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Statement.Kind
}

// forge changes a certificate in one place of its statement or proof, and describes the change.
func forge(t testing.TB, rng *rand.Rand, text []byte) (forged []byte, how string) {
	t.Helper()
	file := decoded(t, text)
	for how == "" {
		part := []string{"statement", "statement", "proof"}[rng.IntN(3)]
		file[part], how = change(rng, part, file[part])
	}
	return signed(file), how
}

// signed encodes a certificate after setting the digest of its statement.
func signed(file map[string]any) []byte {
	sum := sha256.Sum256(ascii(file["statement"]))
	file["sha256"] = hex.EncodeToString(sum[:])
	return ascii(file)
}

// ascii encodes a value in the form in which it is hashed.
func ascii(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	var out []byte
	for _, r := range strings.TrimSpace(b.String()) {
		if r < 0x80 {
			out = append(out, byte(r))
		} else {
			out = append(out, strings.Trim(strconv.QuoteToASCII(string(r)), `"`)...)
		}
	}
	return out
}

// change returns a value with one random change inside it, and a description, which is empty if nothing changed. In an
// object, every key is equally likely to be changed, whatever the size of its value.
func change(rng *rand.Rand, path string, v any) (changed any, how string) {
	switch v := v.(type) {
	case string:
		changed := misspelt(rng, v)
		if changed == v {
			return v, ""
		}
		return changed, fmt.Sprintf("%s: %.60s for %.60s", path, changed, v)
	case int:
		changed := v + []int{-1, 1, -2, 7, -v, -2 * v}[rng.IntN(6)]
		if changed == v {
			return v, ""
		}
		return changed, fmt.Sprintf("%s: %d for %d", path, changed, v)
	case nil:
		return rng.IntN(3), path + ": a number for null"
	case []any:
		if len(v) == 0 {
			return []any{0}, path + ": 0 in an empty list"
		}
		i, j := rng.IntN(len(v)), rng.IntN(len(v))
		switch rng.IntN(12) {
		case 0:
			if bytes.Equal(ascii(v[i]), ascii(v[j])) {
				return v, ""
			}
			v[i], v[j] = v[j], v[i]
			return v, fmt.Sprintf("%s: entries %d and %d swapped", path, i, j)
		case 1:
			return slices.Delete(v, i, i+1), fmt.Sprintf("%s: without entry %d", path, i)
		case 2:
			return append(v, v[i]), fmt.Sprintf("%s: entry %d twice", path, i)
		}
		v[i], how = change(rng, fmt.Sprintf("%s[%d]", path, i), v[i])
		return v, how
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return v, ""
		}
		key, other := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
		switch rng.IntN(12) {
		case 0:
			x := v[key]
			delete(v, key)
			if rng.IntN(2) == 0 {
				v[misspelt(rng, key)] = x
			}
			if _, same := v[key]; same {
				return v, ""
			}
			return v, path + ": no " + key
		case 1:
			if bytes.Equal(ascii(v[key]), ascii(v[other])) {
				return v, ""
			}
			v[key], v[other] = v[other], v[key]
			return v, fmt.Sprintf("%s: %s for %s", path, other, key)
		}
		v[key], how = change(rng, path+"."+key, v[key])
		return v, how
	}
	return v, ""
}

// misspelt changes a digit, sign or letter of a text, mostly a digit if there is one.
func misspelt(rng *rand.Rand, s string) string {
	if s == "" {
		return "0"
	}
	i := rng.IntN(len(s))
	if digits := "0123456789"; rng.IntN(2) == 0 {
		for range len(s) {
			if strings.IndexByte(digits, s[i]) >= 0 {
				break
			}
			i = (i + 1) % len(s)
		}
	}
	switch rng.IntN(8) {
	case 0:
		if over, under, ok := strings.Cut(s, "/"); ok {
			return under + "/" + over
		}
		return "-" + s
	case 1:
		return []string{"inf", "0", "1", "1/2", "2*2^-1", "1e3", "nan"}[rng.IntN(7)]
	case 2:
		return s[:i] + s[i+1:]
	default:
		c := byte('0' + rng.IntN(10))
		if s[i] < '0' || s[i] > '9' {
			c = byte('a' + rng.IntN(26))
		}
		return s[:i] + string(c) + s[i+1:]
	}
}

// mark is a placeholder that is later replaced by text that is not a JSON value.
const mark = "@here@"

// check.py rejects malformed files of every kind with one line: truncated files, numbers of 10^6 digits, brackets a
// million deep, repeated keys, and invalid numbers.
func TestMalformedFiles(t *testing.T) {
	t.Parallel()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 3))
	originals := originals(t)
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
	for k, kind := range slices.Sorted(maps.Keys(originals)) { // each kind gets some of the malformations in turn
		text := slices.MinFunc(originals[kind], func(a, b []byte) int { return len(a) - len(b) })
		with := func(what string, value any, as string) {
			file := decoded(t, text)
			statement := file["statement"].(map[string]any)
			if value == nil { // a repeated key
				keys := slices.Sorted(maps.Keys(statement))
				key := keys[rng.IntN(len(keys))]
				statement[mark], as = statement[key], `"`+key+`"`
			} else {
				all := setters(statement)
				all[rng.IntN(len(all))](value)
			}
			save(fmt.Sprintf("%s_%s.json", strings.ReplaceAll(kind, " ", "_"), what), bytes.Replace(signed(file), []byte(`"`+mark+`"`), []byte(as), 1))
		}
		for i, what := range slices.Sorted(maps.Keys(values)) {
			if (i+k)%cases.Of(6, 2) == 0 {
				with(what, values[what], "")
			}
		}
		for i, what := range slices.Sorted(maps.Keys(texts)) {
			if (i+k)%cases.Of(6, 2) == 0 {
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
	for file, said := range checker(t, files) {
		if !strings.HasPrefix(said, "rejected: ") || strings.Contains(said, "cannot be checked") || len(said) > 1000 {
			t.Errorf("%s: %.300s", filepath.Base(file), said)
		}
	}
	t.Logf("%d files", len(files))
}

// setters returns a function for each string and number inside a value that replaces it by another value. It omits text
// for readers.
func setters(v any) (set []func(any)) {
	each := func(x any, to func(any)) {
		switch x.(type) {
		case string, int:
			set = append(set, to)
		default:
			set = append(set, setters(x)...)
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
