package discretize_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// NewLine returns an error for mechanisms that it does not know as densities on the line. Discretizing twice changes
// nothing. The claimed ε is twice the source's ε.
func TestNewLine(t *testing.T) {
	eps := evidencetest.LogEpsilon(3, 1)
	line := must.For(continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}}))(t)
	points := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}}))(t)
	for what, m := range map[string]continuous.Mechanism{
		"geometric noise":   must.For(continuous.NewGeometric(points, eps))(t),
		"another mechanism": struct{ continuous.Mechanism }{must.For(continuous.NewLaplace(line, eps))(t)},
	} {
		if _, err := discretize.NewLine(line, m); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
	m := must.For(continuous.NewLaplace(line, eps))(t)
	d := must.For(discretize.NewLine(line, m))(t)
	twice := must.For(discretize.NewLine(line, d))(t)
	if d.Source() != continuous.Mechanism(m) || twice.Source() != continuous.Mechanism(d) || twice.Distortion().Float() != d.Distortion().Float() {
		t.Errorf("%s from %s, %s from %s", d.Name(), d.Source().Name(), twice.Name(), twice.Source().Name())
	}
	for _, l := range []*discretize.Line{d, twice} {
		th := must.For(l.Theorem1(ctx))(t)
		loss, lost := th.Source.(evidence.ExactLog), th.Discretized.(evidence.ExactLog)
		if l.ClaimedEpsilon().Float() != eps.Times(2).Value() || loss.Argument.Cmp(big.NewRat(3, 1)) != 0 || lost.Argument.Cmp(big.NewRat(3, 1)) != 0 || th.Epsilon.Value() != eps.Value() {
			t.Errorf("%s has the claim %v: %+v", l.Name(), l.ClaimedEpsilon(), th)
		}
		if a, b := th.Before.Float(), th.After.Float(); a != l.Source().Distortion().Float() || b != l.Distortion().Float() {
			t.Errorf("%s: E_p = %v, E_q = %v", l.Name(), a, b)
		}
	}
}

// Pairs returns the exact pairs of the discretized law, not a bound. For Laplace noise that law is a Staircase with γ =
// 1, also if discretized twice.
func TestPairsOfLine(t *testing.T) {
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(0, 1), big.NewRat(3, 1)}}))(t)
	three := evidencetest.LogEpsilon(3, 1)
	line := must.For(discretize.NewLine(q, must.For(continuous.NewLaplace(q, three))(t)))(t)
	for _, m := range []*discretize.Line{line, must.For(discretize.NewLine(q, line))(t)} {
		f := must.For(m.Pairs(ctx))(t)
		a := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{1}))(t)
		d := must.For(a.Delta(ctx, evidencetest.LogEpsilon(2, 1)))(t)
		want := must.For(line.Privacy().Delta(ctx, evidencetest.LogEpsilon(2, 1)))(t)
		if lo, hi := d.Bounds(); f.Bound || f.Name != m.Name() || lo > want.Float() || hi < want.Float() || hi-lo > 1e-12 {
			t.Errorf("%s: δ = %v for %s, want %v", m.Name(), d, f.Name, want)
		}
		two := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{2}))(t)
		if two.IsBound() {
			t.Errorf("%s: two uses are only a bound", m.Name())
		}
	}
}

// inLayers is a mechanism with the given discretization.
type inLayers struct {
	continuous.Mechanism
	as continuous.InLayers
}

func (m inLayers) InLayers(*continuous.Linear) (continuous.InLayers, error) { return m.as, nil }

// Line.Theorem1 refutes discretizations whose privacy or utility is worse than Theorem 1 states. If a mechanism returns
// an error, Theorem1 returns that error.
func TestTheorem1OfWrongLines(t *testing.T) {
	q := must.For(continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}}))(t)
	log := evidencetest.LogEpsilon(4, 1).Ratio
	laplace := func(eps evidence.Epsilon) *continuous.Laplace { return must.For(continuous.NewLaplace(q, eps))(t) }
	line := func(law, source continuous.Mechanism) *discretize.Line {
		return must.For(discretize.NewLine(q, inLayers{source, continuous.InLayers{Law: law, Epsilon: log(1, 1), Basic: true}}))(t)
	}
	for _, c := range []struct { // E = 1/ε for Laplace noise: E_q is within e^ε = 4 of E_p from ε/4 to 4ε
		q                evidence.Epsilon
		privacy, utility evidence.Verdict
	}{
		{log(1, 1), evidence.Confirmed, evidence.Confirmed},
		{log(2, 1), evidence.Confirmed, evidence.Confirmed},
		{log(5, 2), evidence.Refuted, evidence.Confirmed},
		{log(4, 1), evidence.Refuted, evidence.Confirmed},
		{log(9, 2), evidence.Refuted, evidence.Refuted},
		{log(1, 4), evidence.Confirmed, evidence.Confirmed},
		{log(2, 9), evidence.Confirmed, evidence.Refuted},
	} {
		th := must.For(line(laplace(c.q), laplace(log(1, 1))).Theorem1(ctx))(t)
		if th.Privacy != c.privacy || th.Utility != c.utility {
			t.Errorf("q of ε = %v: privacy %s, utility %s, want %s, %s", c.q, th.Privacy, th.Utility, c.privacy, c.utility)
		}
	}
	mute := silent{laplace(log(1, 1))}
	for _, l := range []*discretize.Line{line(mute, laplace(log(1, 1))), line(laplace(log(1, 1)), mute)} {
		if th, err := l.Theorem1(ctx); !errors.Is(err, errSilent) {
			t.Errorf("%+v, %v: want errSilent", th, err)
		}
	}
}

var errSilent = errors.New("no answer")

// silent returns an error instead of its smallest ε.
type silent struct{ continuous.Mechanism }

func (silent) Privacy() privacy.Profile {
	return privacy.ProfileFunc{Pure: func(context.Context) (evidence.Number, error) { return nil, errSilent }}
}
