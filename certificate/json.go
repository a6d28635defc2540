package certificate

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
)

// object and list are the composite values of a certificate; the other values are strings, ints, bools and nil.
type (
	object = map[string]any
	list   = []any
)

// canonical appends the encoding of a value that is hashed: no blanks, keys in ascending order, ASCII.
func canonical(to []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(to, "null"...)
	case string:
		return append(to, quote(v)...)
	case int:
		return strconv.AppendInt(to, int64(v), 10)
	case list:
		to = append(to, '[')
		for i, x := range v {
			if i > 0 {
				to = append(to, ',')
			}
			to = canonical(to, x)
		}
		return append(to, ']')
	case object:
		to = append(to, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(append(to, quote(key)...), ':')
			to = canonical(to, v[key])
		}
		return append(to, '}')
	}
	panic(fmt.Sprintf("certificate of a %T", v))
}

// quote returns a JSON string in ASCII.
func quote(s string) string {
	out := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			out = append(out, byte(r))
		case r >= 0x10000:
			a, b := utf16.EncodeRune(r)
			out = fmt.Appendf(out, "\\u%04x\\u%04x", a, b)
		default:
			out = fmt.Appendf(out, "\\u%04x", r)
		}
	}
	return string(append(out, '"'))
}

// lineLength is the length up to which a value is written on one line.
const lineLength = 160

// layout writes a value for readers: a value longer than a line has one element or key per line.
func layout(b *bufio.Writer, v any, indent int) {
	if measure(v, lineLength) >= 0 {
		b.Write(canonical(b.AvailableBuffer(), v))
		return
	}
	begin := func(i int) {
		if i > 0 {
			fmt.Fprintf(b, ",\n%*s", indent+1, "")
		}
	}
	switch v := v.(type) {
	case list:
		b.WriteByte('[')
		for i, x := range v {
			begin(i)
			layout(b, x, indent+1)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			begin(i)
			b.WriteString(quote(key) + ": ")
			layout(b, v[key], indent+1)
		}
		b.WriteByte('}')
	default:
		b.Write(canonical(nil, v))
	}
}

// measure returns left minus the length of a value in ASCII. It stops as soon as the result is negative.
func measure(v any, left int) int {
	switch v := v.(type) {
	case string:
		return left - len(v) - 2
	case list:
		for _, x := range v {
			if left = measure(x, left) - 1; left < 0 {
				return left
			}
		}
		return left - 1
	case object:
		for key, x := range v {
			if left = measure(x, left-len(key)-3) - 1; left < 0 {
				return left
			}
		}
		return left - 1
	}
	return left - 4
}
