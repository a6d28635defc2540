// Package memory bounds the memory of a process. Code that is about to allocate something whose size depends on a
// user's input first calls Need, which returns nil or an error with the size and the bound.
//
// The bound belongs to the process, like the limit of runtime/debug, so it is global. Without a bound nothing is
// limited.
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

// small is the number of bytes below which Need does not check. Such an allocation cannot fill memory at once. Code
// that watches InUse notices many small ones.
const small = 1 << 20

var limit atomic.Int64

// SetLimit sets the bound in bytes, and returns the previous one. Unlimited means no bound, and 0 that none is set.
func SetLimit(bytes int64) (previous int64) {
	previous = limit.Swap(max(0, bytes))
	collectBelow(bytes)
	return previous
}

// Unlimited is the bound that limits nothing.
const Unlimited = math.MaxInt64

// SetDefault sets the commands' default bound if none was set.
func SetDefault() {
	if limit.CompareAndSwap(0, Default) {
		collectBelow(Default)
	}
}

// collectBelow makes the garbage collector more active once the process, with the collector's own memory, exceeds the
// bound by a quarter. With a limit closer to the bound, the collector would take half of the time before the heap is
// full.
func collectBelow(bytes int64) {
	if bytes <= 0 || bytes > Unlimited/2 {
		bytes = Unlimited
	} else {
		bytes += bytes / 4
	}
	if os.Getenv("GOMEMLIMIT") == "" { // a limit set by the user stays
		debug.SetMemoryLimit(bytes)
	}
}

// Limit returns the bound in bytes, or 0 if none was set.
func Limit() int64 { return limit.Load() }

// Err is wrapped by every error that reports the bound.
var Err = errors.New("not enough memory")

// Error reports that an allocation would exceed the bound.
type Error struct {
	What  string
	Bytes float64 // 0 if the size was not known in advance
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

// Need returns nil if the process stays below its bound with the given number of additional bytes, and otherwise an
// *Error that names the object. bytes is a float64, so that a product of sizes need not be checked for overflow; NaN is
// too much.
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

// Growth accounts for an object that grows in small steps, such as the content of a file of unknown length. It calls
// Need whenever the object has grown by an eighth.
type Growth struct {
	What string
	next float64
}

// To is told the present size, and calls Need for as many additional bytes, such as for a copy of the object.
func (g *Growth) To(bytes float64) error {
	if bytes < g.next {
		return nil
	}
	g.next = bytes + max(bytes/8, small)
	return Need(g.What, bytes)
}

// fits reports whether the process stays below l with the given number of additional bytes, after a collection if
// necessary.
func fits(bytes float64, l int64) bool {
	if float64(InUse())+bytes <= float64(l) {
		return true
	}
	Collect()
	return float64(InUse())+bytes <= float64(l)
}

var collection struct {
	sync.Mutex
	began time.Time // start of the last collection that ended
}

// Collect frees unreachable memory. A call during a collection waits for the next one; all waiting calls share it.
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

// InUse returns the bytes that the process holds in its heap, with garbage that is not yet collected, and on its
// stacks.
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

// units are listed from the largest.
var units = []struct {
	name  string
	bytes float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Text formats a number of bytes with three digits, such as "1.5 GiB".
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

// Parse parses a number of bytes such as "4GiB", "512 MB" or "1e9". MB, MiB, M and m all mean 2^20 bytes; "0" is
// Unlimited.
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
	return 0, fmt.Errorf("%q, want a number of bytes such as 4GiB or 512MiB, at least 1MiB, or 0 for no limit", text)
}
