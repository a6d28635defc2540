package workload

import (
	"cmp"
	"context"

	"dpworkbench/internal/parameter"
)

// A fit returns the first column of a Toeplitz encoder for a Toeplitz workload, and records the cost of a stream.
type fit func(ctx context.Context, s *Strategy, w series) (series, error)

// fits returns the ways to find an encoder of the strategy; the best result is used. For several participations, the
// descent evaluates only the pattern from step 0 with exact distances, so further candidates are tried.
func (s *Strategy) fits() []fit {
	switch s.Name {
	case "square_root":
		return []fit{squareRoot}
	case "banded":
		return []fit{banded}
	case "blt":
		return []fit{buffered}
	}
	if s.Params.Participation.Kind == Once {
		return []fit{free}
	}
	return []fit{free, squareRoot, banded}
}

func squareRoot(_ context.Context, s *Strategy, w series) (series, error) {
	s.Memory, s.Steps = len(w)-1, len(w)-1
	if w.ones() {
		return centralBinomials(len(w)), nil
	}
	if w[0] < 0 {
		return nil, parameter.Bad("coefficients[0]", w[0], "a positive number for a square root")
	}
	c := w.root()
	if !(normUp(c) < 1e150) {
		return nil, parameter.Errorf("the square root of %s grows beyond 1e150, want another strategy", s.Workload.Name())
	}
	return c, nil
}

// free fits all coefficients, and banded only the first ones.
func free(ctx context.Context, s *Strategy, w series) (series, error) {
	return s.descend(ctx, w, len(w))
}

func banded(ctx context.Context, s *Strategy, w series) (series, error) {
	bands := min(len(w), 32)
	if p := s.Params.Participation; p.Kind != Once {
		bands = min(bands, p.Separation)
	}
	return s.descend(ctx, w, cmp.Or(s.Params.Bands, bands))
}

// descend fits the first coefficients, as many as bands. It starts at the square root, or at the identity if W has no
// square root.
func (s *Strategy) descend(ctx context.Context, w series, bands int) (series, error) {
	start := make([]float64, bands-1)
	if c, err := squareRoot(ctx, s, w); err == nil {
		for i := range start {
			start[i] = c[i+1] / c[0]
		}
	}
	s.Memory, s.Steps = bands-1, bands-1
	return descendFamily(ctx, coefficients(len(w), bands-1), start, w, s.Params.Objective, s.Params.Participation)
}

func buffered(ctx context.Context, s *Strategy, w series) (series, error) {
	n, d := len(w), cmp.Or(s.Params.Degree, 4)
	s.Memory, s.Steps = d, 2*d
	return descendFamily(ctx, buffers(n, d), startBuffers(n, d), w, s.Params.Objective, s.Params.Participation)
}
