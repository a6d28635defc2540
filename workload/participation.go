package workload

import (
	"fmt"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Kind tells in which steps of a stream one person may take part.
type Kind int

const (
	// Once allows any one step.
	Once Kind = iota
	// Fixed allows at most Epochs steps, each exactly Separation after the one before.
	Fixed
	// MinSeparation allows at most Epochs steps, each at least Separation after the one before.
	MinSeparation
)

// Participation says which steps of a stream one person's data may enter. The zero value allows one step. In each step
// the contribution is a vector of Euclidean norm at most 1, and the vectors of different steps may differ.
type Participation struct {
	Kind               Kind
	Epochs, Separation int
	// Scalar means that contributions are numbers of absolute value at most 1. The sensitivity may be smaller than for
	// vectors.
	Scalar bool
}

// Contributions describes what one person adds in a step.
func (p Participation) Contributions() string {
	if p.Scalar {
		return "numbers of at most 1"
	}
	return "vectors of norm at most 1"
}

// admits returns an error wrapping evidence.ErrParameter if contributions cannot be vectors of the given length.
func (p Participation) admits(length int) error {
	if p.Scalar && length > 1 {
		return parameter.Errorf("x has %d numbers in a step, want one: contributions are scalar", length)
	}
	return nil
}

// String describes the pattern.
func (p Participation) String() string {
	text := "once"
	switch p.Kind {
	case Fixed:
		text = fmt.Sprintf("%d epochs at separation %d", p.Epochs, p.Separation)
	case MinSeparation:
		text = fmt.Sprintf("at most %d times, at least %d apart", p.Epochs, p.Separation)
	}
	if p.Scalar {
		text += ", scalar contributions"
	}
	return text
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
		return parameter.Errorf("epochs = %d and separation = %d do not fit into %d steps, want (epochs − 1)·separation < %d",
			p.Epochs, p.Separation, n, n)
	}
	return nil
}

// once reports whether a person takes part in at most one step.
func (p Participation) once() bool { return p.Kind == Once || p.Epochs == 1 }

// fixedPatterns returns the largest sets of steps that Once or Fixed allows in a stream of n steps.
func (p Participation) fixedPatterns(n int) [][]int {
	var all [][]int
	if p.once() {
		for i := range n {
			all = append(all, []int{i})
		}
		return all
	}
	for first := range n {
		// A pattern that the end of the stream cuts off is part of the pattern that begins one separation earlier.
		if whole := first+(p.Epochs-1)*p.Separation < n; !whole && first >= p.Separation {
			break
		}
		var steps []int
		for i := first; i < n && len(steps) < p.Epochs; i += p.Separation {
			steps = append(steps, i)
		}
		all = append(all, steps)
	}
	return all
}

// separatedPatterns returns the sets of steps that MinSeparation allows in n steps, and to which no later step can be
// added. ok is false if the sets have more than most steps in total.
func (p Participation) separatedPatterns(n, most int) (all [][]int, ok bool) {
	total := 0
	var extend func(steps []int) bool
	extend = func(steps []int) bool {
		first := 0
		if len(steps) > 0 {
			first = steps[len(steps)-1] + p.Separation
		}
		if first >= n || len(steps) == p.Epochs {
			all = append(all, append([]int(nil), steps...))
			total += len(steps)
			return total <= most
		}
		for i := first; i < n; i++ {
			// An earlier step can be added to every pattern that starts here.
			if len(steps) == 0 && i >= p.Separation && p.Epochs > (n-1-i)/p.Separation+1 {
				break
			}
			if !extend(append(steps, i)) {
				return false
			}
		}
		return true
	}
	ok = extend(nil)
	return all, ok
}

// heaviest returns the steps with the largest sum of weights ≥ 0 that MinSeparation allows together with step at, and
// their sum rounded up. A negative at stands for no step. taken is the number of steps already used.
func (p Participation) heaviest(weights []float64, taken, at int) (float64, []int) {
	n := len(weights)
	limit, before := p.Epochs-taken, 1
	if p.Epochs > (n-1)/p.Separation {
		limit, before = 1, 0 // the number of steps is not a constraint
	}
	if limit <= 0 {
		return 0, nil
	}
	// best[k][i] is the largest sum from steps i on with k more steps, or with any number.
	best := make([][]float64, limit+1)
	best[0] = make([]float64, n+p.Separation)
	for k := 1; k <= limit; k++ {
		best[k] = make([]float64, n+p.Separation)
		for i := n - 1; i >= 0; i-- {
			best[k][i] = best[k][i+1]
			if at < 0 || i <= at-p.Separation || i >= at+p.Separation {
				best[k][i] = max(best[k][i], interval.Up(weights[i]+best[k-before][i+p.Separation]))
			}
		}
	}
	var steps []int
	for i, k := 0, limit; k > 0 && i < n; {
		if best[k][i] == best[k][i+1] {
			i++
			continue
		}
		steps = append(steps, i)
		i, k = i+p.Separation, k-before
	}
	return best[limit][0], steps
}
