package repl_test

import (
	"runtime"
	"strings"
	"testing"
)

// What would take much memory is refused before it is taken.
func TestRoomIsAskedForBefore(t *testing.T) {
	for source, want := range map[string]string{
		`box_sensitivity(1 << 30, 100, 1)`:                     "box_sensitivity: m = 1073741824, want a whole number from 1 to 1048576",
		`binary_theta(1 << 30, [0], 0.5)`:                      "needs about 32 GiB; limit",
		`oporp(1 << 28, 4)`:                                    "needs about 4 GiB; limit",
		`bernoulli_uniform(1 << 30, 1, 0.5, 0.1).worst_flip()`: "needs about 64 GiB; limit",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := run(t, source)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gives %v\n want  %s", source, err, want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<27 {
			t.Errorf("%s takes %d bytes first", source, taken)
		}
	}
}
