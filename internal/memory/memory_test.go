package memory_test

import (
	"errors"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	"dpworkbench/internal/memory"
)

func bounded(t *testing.T, bytes int64) {
	t.Helper()
	previous := memory.SetLimit(bytes)
	t.Cleanup(func() { memory.SetLimit(previous) })
}

func TestNeed(t *testing.T) {
	bounded(t, 1<<30)
	for bytes, fits := range map[float64]bool{
		0: true, 1 << 19: true, 1 << 28: true, 1 << 30: false, 1 << 40: false,
		math.MaxFloat64: false, math.Inf(1): false, math.NaN(): false,
	} {
		err := memory.Need("a list", bytes)
		if (err == nil) != fits {
			t.Errorf("%g bytes: %v", bytes, err)
		}
		if err != nil && !errors.Is(err, memory.Err) {
			t.Errorf("%v does not wrap Err", err)
		}
	}
	if err := memory.Need("a list", 1.5*(1<<34)); err.Error() != "a list needs about 24 GiB; limit 1 GiB (--memory)" {
		t.Error(err)
	}
	memory.SetLimit(memory.Unlimited)
	if err := memory.Need("a list", math.Inf(1)); err != nil {
		t.Error("an unlimited bound fails:", err)
	}
}

// Memory in use counts; freed memory does not.
func TestNeedCountsMemoryInUse(t *testing.T) {
	bounded(t, memory.InUse()+64<<20)
	held := make([]byte, 48<<20)
	for i := range held {
		held[i] = 1
	}
	if memory.Need("as much again", 48<<20) == nil {
		t.Error("96 MiB fit into a limit of 64 MiB")
	}
	held[0]++
	held = nil
	if err := memory.Need("as much again", 48<<20); err != nil {
		t.Error("freed memory counts:", err)
	}
}

// Concurrent calls of Collect all return.
func TestCollectTogether(t *testing.T) {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(memory.Collect)
	}
	wait.Wait()
}

// SetDefault sets the default limit if there is none, and the collector's limit above it.
func TestSetDefault(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	collector := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(collector) })
	for _, c := range []struct{ before, want, collector int64 }{{0, memory.Default, memory.Default / 4 * 5}, {-1, memory.Default, memory.Default / 4 * 5}, {1 << 30, 1 << 30, 5 << 28}, {memory.Unlimited, memory.Unlimited, memory.Unlimited}} {
		bounded(t, c.before)
		if got := debug.SetMemoryLimit(-1); c.before <= 0 && got != memory.Unlimited {
			t.Errorf("without a limit the collector has a limit of %d", got)
		}
		memory.SetDefault()
		if got := debug.SetMemoryLimit(-1); memory.Limit() != c.want || got != c.collector {
			t.Errorf("with a limit of %d before: limit %d, collector's %d, want %d and %d", c.before, memory.Limit(), got, c.want, c.collector)
		}
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[float64]string{
		12: "12 bytes", 1 << 10: "1 KiB", 1000 << 10: "1000 KiB", 1 << 30: "1 GiB", 1.25 * (1 << 30): "1.25 GiB",
		1 << 44: "16 TiB", 1e30: "1e+30 bytes", 1.23456e30: "1.23e+30 bytes", 1023: "1023 bytes", 1023 << 10: "1023 KiB", 1.23456 * (1 << 30): "1.23 GiB", 999.9 * (1 << 20): "1000 MiB", 999e3 * (1 << 40): "999000 TiB", 1e6 * (1 << 40): "1.1e+18 bytes", 123456 * (1 << 40): "123456 TiB",
	} {
		if got := memory.Text(bytes); got != want {
			t.Errorf("%g is written %q, want %q", bytes, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"4GiB": 4 << 30, "4 GB": 4 << 30, "512m": 512 << 20, "0": memory.Unlimited, "1e9": 1e9, "1.5GiB": 3 << 29, "2097152": 2 << 20, "1TiB": 1 << 40, "4096kb": 4 << 20,
	} {
		if got, err := memory.Parse(text); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1", "nan", "inf", "1e300", "GiB", "4XiB"} {
		if got, err := memory.Parse(text); err == nil {
			t.Errorf("%q is %d, want an error", text, got)
		}
	}
}
