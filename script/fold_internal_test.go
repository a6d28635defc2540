package script

import (
	"errors"
	"testing"

	"go.starlark.net/starlark"
)

// folding.text returns the error of poll, whichever call of poll fails.
func TestFoldingStops(t *testing.T) {
	items := make([]starlark.Value, 4100)
	for i := range items {
		items[i] = starlark.MakeInt(1)
	}
	d := starlark.NewDict(2)
	long := starlark.NewList(items)
	for _, key := range []starlark.Value{starlark.Tuple(items), starlark.String("b")} {
		if err := d.SetKey(key, starlark.Tuple{long, long}); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []starlark.Value{d, starlark.Tuple{long, d, long}} {
		stops := 0
		for at := 1; ; at++ {
			looks := 0
			f := &folding{width: 60, poll: func() error {
				if looks++; looks == at {
					return ErrStopped
				}
				return nil
			}}
			text, err := f.text(v, 0, 0)
			if err == nil {
				if looks >= at || text == "" {
					t.Errorf("poll %d of %d does not stop", at, looks)
				}
				break
			}
			if stops++; !errors.Is(err, ErrStopped) {
				t.Errorf("poll %d: %v", at, err)
			}
		}
		if stops < 5 {
			t.Errorf("%d polls, want some in each part", stops)
		}
	}
}
