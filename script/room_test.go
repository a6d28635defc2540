package script

import (
	"errors"
	"testing"

	"dpworkbench/internal/memory"
)

// What is about to be made is asked for in bytes before it is made: sixteen for an element of
// a list, 72 for a pair, 120 for an entry of a dict or a set, 48 for a part of a string, and
// for a text its length, once or as often as it is copied. What is shorter is not asked for.
func TestRoomThatIsAsked(t *testing.T) {
	const n, chars = 1 << 17, 1 << 21
	t.Setenv("GOMEMLIMIT", "off") // no limit of here makes the collector run
	defer memory.SetLimit(memory.SetLimit(memory.Unlimited))
	s := New(Vocabulary{Rooms: []Room{NewRoom("Memory", []Builtin{Func("full() -> none", "Leaves no memory.", "", func(c *Call) (any, error) {
		memory.SetLimit(1) // while a chunk runs: nobody watches what is in use
		return nil, nil
	})})}})
	_, err := s.Exec(t.Context(), "a", `
n, chars = 1 << 17, 1 << 21
l = list(range(n))
t = tuple(l)
r = range(n)
d = {i: i for i in l}
u = set(l)
x = "x" * chars
z = "x-" * (chars // 2)
most = l[9:]
lines = "x\n" * (chars // 2)
m = matrix([[1.0] * 512] * 512)
accents = "é" * (chars // 2)
b = bytes(x)
words = ["y" * 4096] * 1024
def f(*args): return len(args)
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		bytes  float64
	}{
		{"list(r)", 16 * n}, {"tuple(l)", 16 * n}, {"reversed(l)", 16 * n}, {"enumerate(l)", 72 * n}, {"sorted(l)", 32 * n}, {"set(l)", 120 * n}, {"dict(d)", 120 * n},
		{"bytes(range(256 * n))", 256 * n}, {"zip(l, r)", (40 + 2*16) * n}, {"zip(l, r, range(n - 9))", (40 + 3*16) * (n - 9)}, {"zip(range(n - 9), l)", (40 + 2*16) * (n - 9)},
		{"l + l", 2 * 16 * n}, {"l + most", 16 * (2*n - 9)}, {"x + x", 2 * chars}, {"b + b", 2 * chars}, {"t + t", 2 * 16 * n},
		{"l * 3", 3 * 16 * n}, {"3 * x", 3 * chars}, {"x * 1000000000000", 1e12 * chars}, {"[0] * n", 16 * n}, {"(0, 1) * n", 2 * 16 * n}, {"b * 17", 17 * chars},
		{"l[::2]", 16 * n / 2}, {"l[n // 2 - 9:]", 16 * (n/2 + 9)}, {"t[n::-1]", 16 * n}, {"t[::-2]", 16 * n / 2}, {"f(*l)", 16 * n}, {"f(*r)", 16 * n},
		{`", ".join(words)`, 1024 * (4096 + 2)}, {`"".join(words)`, 1024 * 4096},
		{`x.replace("x", "abc")`, 3 * chars}, {`x.replace("x", "abc", 1000000)`, chars + 2*1e6}, {`z.replace("-", "+++")`, chars + chars}, {`x.replace("x", "ab", -1)`, 2 * chars},
		{`z.split("-")`, 48 * (chars/2 + 1)}, {`z.rsplit("-")`, 48 * (chars/2 + 1)}, {`z.rsplit("-", 1 << 40)`, 48 * (chars/2 + 1)}, {"x.split()", 48 * (chars/2 + 1)},
		{"lines.splitlines()", 48 * (chars/2 + 1)},
		{"x.upper()", chars}, {"x.title()", chars}, {"accents.lower()", 4 * chars}, {"accents.capitalize()", 4 * chars},
		{"d.items()", 72 * n}, {"d.keys()", 16 * n}, {"d.values()", 40 * n}, {"d.update(d)", 120 * n}, {"u.union(l)", 120 * n}, {"u.update(l)", 120 * n},
		{"u.difference([])", 120 * n}, {"u.intersection([])", 120 * n}, {"u.issubset(u)", 120 * n}, {"set().issuperset(u)", 120 * n}, {"set().symmetric_difference(l)", 120 * n},
		{"[].extend(l + [1])", 16 * (n + 1)}, {"[1].extend(r)", 16 * n},
		{"repr(x)", 4 * chars}, {"str(b)", 3 * chars}, {"str([x])", 4 * chars}, {"fail(x, x)", 2 * chars}, {"print(x, x)", 2 * chars},
		{`"%s" % x`, 2 * chars}, {`"%r" % x`, 2 * (2 + 4*chars)}, {`"{}".format(x)`, 2 * (2 + chars)}, {`"%s%d" % (b, 7)`, 4 * chars}, {`x % ()`, 2 * chars},
		{"m.dot(m)", 40 * 512 * 512},
		{"json.decode(x)", chars}, {"min(*r)", 16 * n},
		// what is below a megabyte, or is not made
		{"l[:1000]", 0}, {"t[1:]", 0}, {"x[1:]", 0}, {"f(*t)", 0}, {"any(l[:9])", 0}, {"l[0] * 3", 0}, {"len(l) + n", 0}, {"l.index(3)", 0}, {`x.replace("xx", "y")`, 0}, {`x.replace("y", "zzz")`, chars},
		{`x.count("x")`, 0}, {`x.startswith("x")`, 0}, {"(not l) * 7", 0},
	} {
		_, err := s.Exec(t.Context(), "b", "full(); "+c.source+"\n")
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if asked := errors.As(err, &room); asked != (c.bytes > 0) || asked && room.Bytes != c.bytes {
			t.Errorf("%s: %+v, %.100v, want %v bytes", c.source, room, err, c.bytes)
		}
	}
}
