package workload

import (
	"context"
	"errors"
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Kind tells in which steps of a stream one person may take part.
type Kind int

const (
	// Once is at most one step, any of them.
	Once Kind = iota
	// Fixed is at most Epochs steps, one after the other exactly Separation apart.
	Fixed
	// MinSeparation is at most Epochs steps, one after the other at least Separation apart.
	MinSeparation
)

// Participation is the set of steps of a stream that one person's data may enter. The zero value is one step. In each
// step the contribution is a vector of Euclidean norm at most 1, and the vectors of different steps may differ.
type Participation struct {
	Kind               Kind
	Epochs, Separation int
}

// String describes the pattern.
func (p Participation) String() string {
	switch p.Kind {
	case Once:
		return "once"
	case Fixed:
		return fmt.Sprintf("%d epochs at separation %d", p.Epochs, p.Separation)
	}
	return fmt.Sprintf("at most %d times, at least %d apart", p.Epochs, p.Separation)
}

// Check returns an error wrapping evidence.ErrParameter unless a stream of n steps can have the pattern: Epochs and
// Separation are at least 1, and (Epochs − 1)·Separation < n.
func (p Participation) Check(n int) error {
	switch {
	case p.Kind == Once:
		return nil
	case p.Kind != Fixed && p.Kind != MinSeparation:
		return parameter.Bad("participation kind", int(p.Kind), "Once, Fixed or MinSeparation")
	case p.Epochs < 1:
		return parameter.Bad("epochs", p.Epochs, "at least 1")
	case p.Separation < 1:
		return parameter.Bad("separation", p.Separation, "at least 1")
	case p.Epochs-1 > (n-1)/p.Separation:
		return parameter.Errorf("no stream of %d steps has %d participations %d apart, want (epochs − 1)·separation < %d",
			n, p.Epochs, p.Separation, n)
	}
	return nil
}

// Sensitivity returns the largest distance by which one person moves Cx, whose columns are the steps of the stream. It is
// sharp if the ends differ by rounding alone.
func Sensitivity(ctx context.Context, c *mat.Dense, p Participation) (value evidence.Certified, sharp bool, err error) {
	return evidence.Certified{}, false, errors.New("not yet")
}

// once reports whether one step is the most.
func (p Participation) once() bool { return p.Kind == Once || p.Epochs == 1 }
