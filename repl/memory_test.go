package repl_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"runtime"
	"strings"
	"testing"

	"dpworkbench/internal/memory"
)

// Large memory requests are rejected before the allocation.
func TestLargeRequestsFailBeforeAllocation(t *testing.T) {
	for source, want := range map[string]string{
		`box_sensitivity(1 << 30, 100, 1)`:                          "box_sensitivity: m = 1073741824, want a whole number from 1 to 1048576",
		`binary_theta(1 << 30, [0], 0.5)`:                           "needs about 32 GiB; limit",
		`ldpgen(1, initial=32768).release(random_network(8192, 1))`: "needs about 16 GiB; limit",
		`oporp(1 << 28, 4)`:                                         "needs about 4 GiB; limit",
		`bernoulli_uniform(1 << 30, 1, 0.5, 0.1).worst_flip()`:      "needs about 64 GiB; limit",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := run(t, source)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gives %v\n want  %s", source, err, want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<27 {
			t.Errorf("%s allocates %d bytes before the error", source, taken)
		}
	}
}

// The text and the values of a compressed file stay within the memory limit, however well it is compressed.
func TestCompressedFilesStayWithinMemoryLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	for source, text := range map[string][3]string{
		`read_json("x.gz")`: {"[", "1,", "1]"},
		`read_csv("x.gz")`:  {"", "1,2\n", ""},
	} {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		_, _ = w.Write([]byte(text[0] + strings.Repeat(text[1], 1<<24) + text[2]))
		w.Close()
		if err := os.WriteFile("x.gz", packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		memory.Collect()
		const bound = 64 << 20
		previous := memory.SetLimit(memory.InUse() + bound)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := run(t, source)
		runtime.ReadMemStats(&after)
		memory.SetLimit(previous)
		if err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s gives %v", source, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 6*bound { // in total
			t.Errorf("%s allocates %d bytes with a limit of %d", source, taken, bound)
		}
	}
}
