// Package memory bounds what a process takes. Whoever is about to make something
// whose size depends on a user's input asks Need first; the answer is nil, or the
// one error that says how much it would be and what the bound is.
//
// Memory belongs to the process, and so does its bound: like the limit of
// runtime/debug it is one for all, and stands here alone. A library that sets
// none is not bounded.
package memory

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Default is the bound of the commands: 4 GiB.
const Default = 4 << 30

// small is the number of bytes below which Need does not look: what takes less
// cannot fill memory at once, and whoever goes on in small steps is noticed by
// the one that watches InUse.
const small = 1 << 20

var limit atomic.Int64

// SetLimit sets the bound, in bytes, and returns the one before; Unlimited is
// none, and 0 undoes what was set.
func SetLimit(bytes int64) (previous int64) {
	previous = limit.Swap(max(0, bytes))
	collectBelow(bytes)
	return previous
}

// Unlimited is as much as there can be.
const Unlimited = math.MaxInt64

// SetDefault sets the bound of the commands where none was set.
func SetDefault() {
	if limit.CompareAndSwap(0, Default) {
		collectBelow(Default)
	}
}

// collectBelow makes the collector work harder where what the process takes, the
// collector's own needs included, passes the bound by a quarter. Nearer to it the
// collector would take half the time before the heap is full.
func collectBelow(bytes int64) {
	if bytes <= 0 || bytes > Unlimited/2 {
		bytes = Unlimited
	} else {
		bytes += bytes / 4
	}
	if os.Getenv("GOMEMLIMIT") == "" { // the user's own
		debug.SetMemoryLimit(bytes)
	}
}

// Limit returns the bound in bytes, 0 where none was set.
func Limit() int64 { return limit.Load() }

// Err is wrapped by every error of this package's bound.
var Err = errors.New("not enough memory")

// Error says that something would pass the bound.
type Error struct {
	What  string
	Bytes float64 // 0 where it is known only once it is taken
	Limit int64
}

// Error implements error.
func (e *Error) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s needs more memory; limit %s (--memory)", e.What, Text(float64(e.Limit)))
	}
	return fmt.Sprintf("%s needs about %s; limit %s (--memory)", e.What, Text(e.Bytes), Text(float64(e.Limit)))
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return Err }

// Need returns nil where so many more bytes keep the process below its bound,
// and an *Error that names what is asked for elsewhere. A float64 counts, so that
// a product of sizes need not be checked for overflow; NaN is too much.
func Need(what string, bytes float64) error {
	l := Limit()
	if l == 0 || l == Unlimited || bytes < small {
		return nil
	}
	if bytes <= float64(l) && fits(bytes, l) {
		return nil
	}
	return &Error{What: what, Bytes: bytes, Limit: l}
}

// Growth asks for what grows in small steps, such as what is read from a file of unknown length: each time that it
// has grown by an eighth.
type Growth struct {
	What string
	next float64
}

// To returns what Need says of so many more bytes: those that what is there so far is yet to take, as where it is
// copied.
func (g *Growth) To(bytes float64) error {
	if bytes < g.next {
		return nil
	}
	g.next = bytes + max(bytes/8, small)
	return Need(g.What, bytes)
}

// fits reports whether bytes more stay below l, after a collection where that
// is not seen without one.
func fits(bytes float64, l int64) bool {
	if float64(InUse())+bytes <= float64(l) {
		return true
	}
	Collect()
	return float64(InUse())+bytes <= float64(l)
}

var collection struct {
	sync.Mutex
	began time.Time // of the last one that ended
}

// Collect frees what nothing refers to. Who asks while a collection runs waits
// for the next; all who wait share it.
func Collect() {
	asked := time.Now()
	collection.Lock()
	defer collection.Unlock()
	if collection.began.After(asked) {
		return
	}
	collection.began = time.Now()
	runtime.GC()
}

// InUse returns the bytes that the process holds in its heap, garbage that was
// not yet collected included, and on its stacks.
func InUse() int64 {
	s := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s[:])
	total := uint64(0)
	for i := range s {
		if s[i].Value.Kind() == metrics.KindUint64 {
			total += s[i].Value.Uint64()
		}
	}
	return int64(min(total, math.MaxInt64))
}

// units, from the largest.
var units = []struct {
	name  string
	bytes float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Text writes a number of bytes to three digits: "1.5 GiB".
func Text(bytes float64) string {
	if bytes >= 1e6*units[0].bytes || math.IsNaN(bytes) {
		return strconv.FormatFloat(bytes, 'g', 3, 64) + " bytes"
	}
	for _, u := range units {
		if bytes >= u.bytes {
			digits := 3
			if bytes >= 1000*u.bytes {
				digits = 4
			}
			text := strconv.FormatFloat(bytes/u.bytes, 'g', digits, 64)
			if strings.Contains(text, "e") {
				text = strconv.FormatFloat(bytes/u.bytes, 'f', 0, 64)
			}
			return text + " " + u.name
		}
	}
	return strconv.FormatFloat(bytes, 'f', 0, 64) + " bytes"
}

// Parse reads a number of bytes: "4GiB", "512 MB", "1e9". MB and MiB, M and m all
// are 2^20 bytes; "0" is Unlimited.
func Parse(text string) (int64, error) {
	number := strings.TrimRight(strings.TrimSpace(text), "bBiI")
	factor := 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), u.name[:1]); ok {
			number, factor = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch bytes := n * factor; {
	case err != nil:
	case bytes == 0:
		return Unlimited, nil
	case bytes >= small && bytes < Unlimited:
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q, want a number of bytes such as 4GiB or 512MiB, at least 1MiB; 0 for no bound", text)
}
