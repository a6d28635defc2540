package certificate

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// CoqPrivacy returns the Coq file of the statement that m is (ε, δ)-differentially private; a nil delta is 0. It
// returns an error wrapping evidence.ErrParameter where that is not so, and where Coq does.
func CoqPrivacy(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon, delta *big.Rat) (*CoqFile, error) {
	w, delta, err := coqBudget(eps, delta)
	if err != nil {
		return nil, err
	}
	c, err := newCoqMechanism(ctx, m)
	if err != nil {
		return nil, err
	}
	at, err := c.excess(ctx, w)
	if err != nil {
		return nil, err
	}
	if at.by.Cmp(delta) > 0 {
		return nil, parameter.Errorf("%s is not %s: between datasets %d and %d it takes delta = %s", m.Name(), coqPrivate(eps, delta), at.x, at.y, optimize.Brief(at.by))
	}
	f := c.file("%s is %s.", m.Name(), coqPrivate(eps, delta))
	if delta.Sign() == 0 {
		f.prove("dp q %s m", "apply dp_sound", coqRational(w))
	} else {
		f.prove("dp_delta q %s %s m", "apply dp_delta_sound", coqRational(w), coqRational(delta))
	}
	return f, nil
}

// CoqRefutation returns the Coq file of the statement that m is not (ε, δ)-differentially private; a nil delta is 0.
// It returns an error wrapping evidence.ErrParameter where m is, and where Coq does.
func CoqRefutation(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon, delta *big.Rat) (*CoqFile, error) {
	w, delta, err := coqBudget(eps, delta)
	if err != nil {
		return nil, err
	}
	c, err := newCoqMechanism(ctx, m)
	if err != nil {
		return nil, err
	}
	at, err := c.excess(ctx, w)
	if err != nil {
		return nil, err
	}
	if at.by.Cmp(delta) <= 0 {
		return nil, parameter.Errorf("%s is %s: there is nothing to refute", m.Name(), coqPrivate(eps, delta))
	}
	var event []string
	for r := range c.laws[at.x] {
		if more := new(big.Rat).Mul(w, c.laws[at.y][r]); c.laws[at.x][r].Cmp(more) > 0 {
			event = append(event, fmt.Sprint(r))
		}
	}
	f := c.file("%s is not %s: an event is too likely at dataset %d beside dataset %d.", m.Name(), coqPrivate(eps, delta), at.x, at.y)
	witness := fmt.Sprintf("with (x := %d%%nat) (y := %d%%nat) (S := [%s]%%nat)", at.x, at.y, strings.Join(event, "; "))
	if delta.Sign() == 0 {
		f.prove("~ dp q %s m", "apply dp_refuted "+witness, coqRational(w))
	} else {
		f.prove("~ dp_delta q %s %s m", "apply dp_delta_refuted "+witness, coqRational(w), coqRational(delta))
	}
	return f, nil
}

// coqPrivate writes what (ε, δ) promise.
func coqPrivate(eps evidence.Epsilon, delta *big.Rat) string {
	if delta.Sign() == 0 {
		return fmt.Sprintf("%s-differentially private", eps)
	}
	return fmt.Sprintf("(%s, %s)-differentially private", eps, optimize.Brief(delta))
}

// coqBudget returns e^ε and δ where they are rational and in range.
func coqBudget(eps evidence.Epsilon, delta *big.Rat) (w, d *big.Rat, err error) {
	if delta == nil {
		delta = new(big.Rat)
	}
	if delta.Sign() < 0 || delta.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, nil, parameter.Bad("delta", delta, "0 ≤ delta ≤ 1")
	}
	w, err = coqRatio(eps)
	return w, delta, err
}

// coqRatio returns e^ε where it is rational.
func coqRatio(eps evidence.Epsilon) (*big.Rat, error) {
	if w, ok := eps.Exp(); ok {
		return w, nil
	}
	if eps.IsZero() {
		return big.NewRat(1, 1), nil
	}
	return nil, parameter.Bad("eps", eps, "the logarithm of a rational number for a Coq file")
}
