package mechanism

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// known is the curve of a mechanism on the line whose smallest ε is known, and
// perhaps its profile.
func known(pure evidence.Number, profile func(eps evidence.Epsilon) evidence.Number) privacy.Curve {
	out := privacy.Profile{
		Pure:   func(context.Context) (evidence.Number, error) { return pure, nil },
		Source: pure.Citation().Source,
	}
	if profile != nil {
		out.At = func(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) { return profile(eps), nil }
	}
	return out
}

// smallLoss encloses 1 − e^{−t} from above by t too, which keeps the digits of a
// small one, and from below by t − t²/2.
func smallLoss(v, t interval.Interval, source string) evidence.Number {
	lo, hi := v.Bounds()
	_, most := t.Bounds()
	least, _ := t.Sub(t.Mul(t).Quo(interval.Int(2))).Bounds()
	return evidence.Certified{Lo: max(lo, least, 0), Hi: max(0, min(hi, most, 1)), Loss: true, Method: "256-bit outward rounding", Source: source}
}
