package study

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"gorm.io/gorm"
)

// A driver's error becomes a single line that wraps the original.
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
