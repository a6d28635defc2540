package field

import (
	"math"
	"testing"

	"dpworkbench/evidence"
)

// exactDelta and its bounds hoeffding and bennett match values that mpmath computed with 30 digits.
func TestBlanketBounds(t *testing.T) {
	for c, want := range map[blanketCase][3]float64{
		{10, 1, 2}:  {0.0214976594356163, 0.206740354352954, 0.349904118447915},
		{10, .5, 3}: {0.00102602781079361, 0.0131145477253085, 0.0479448720663241},
		{2, .5, 2}:  {0.0857048795174416, 0.602408475949657, 0.811071582989902},
	} {
		for i, got := range []float64{evidence.Enclosure(c.exactDelta(t.Context())).Mid(), c.hoeffding().Mid(), c.bennett().Mid()} {
			if math.Abs(got-want[i]) > 1e-13*want[i] {
				t.Errorf("%+v, %d: %v, want %v", c, i, got, want[i])
			}
		}
	}
}
