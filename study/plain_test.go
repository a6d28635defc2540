package study

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"gorm.io/gorm"
)

// A driver's error becomes one line, and wraps what it was.
func TestPlain(t *testing.T) {
	op := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New(" first\nsecond"), "first"},
		{fmt.Errorf("very long: %w", context.DeadlineExceeded), "no answer in time"},
		{fmt.Errorf("it holds no studies: %w", gorm.ErrRecordNotFound), "it holds no studies"},
		{fmt.Errorf("user=a password=b: %w", op), "dial tcp: connection refused"},
	} {
		got := plain(c.err)
		if got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v becomes %v", c.err, got)
		}
	}
}

// Long texts are cut to the width of their column, by letters.
func TestClip(t *testing.T) {
	long := strings.Repeat("ε", maxText+1)
	if got := clip(long); got != long[:2*maxText] || clip(got) != got {
		t.Errorf("%d bytes of %d are left", len(got), len(long))
	}
}
