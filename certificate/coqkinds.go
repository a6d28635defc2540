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

// coqEpsilon states the least w = e^ε of a mechanism, or that no w suffices.
func coqEpsilon(ctx context.Context, m mechanism.Mechanism) (*CoqFile, error) {
	c, err := newCoqMechanism(ctx, m)
	if err != nil {
		return nil, err
	}
	w, at, err := c.ratio(ctx)
	if err != nil {
		return nil, err
	}
	witness := fmt.Sprintf("with (x := %d%%nat) (y := %d%%nat) (r := %d%%nat)", at.x, at.y, at.r)
	if w == nil {
		f := c.file("%s is private at no ε: a value has probability 0 at one of two neighbors alone.", m.Name())
		f.prove("forall w, ~ Workbench.Mechanism.dp q w m", "apply Workbench.Checks.no_w_sound "+witness)
		return f, nil
	}
	f := c.file("The smallest ε of %s is the logarithm of %s.", m.Name(), w.RatString())
	f.prove("Workbench.Mechanism.least_w q %s m", "apply Workbench.Checks.least_w_sound "+witness, coqRational(w))
	return f, nil
}

// coqDelta states the least δ of a mechanism.
func coqDelta(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon) (*CoqFile, error) {
	w, err := coqRatio(eps)
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
	f := c.file("The least δ of %s at ε = %s is %s.", m.Name(), eps, at.by.RatString())
	witness := fmt.Sprintf("apply Workbench.Checks.least_delta_sound with (x := %d%%nat) (y := %d%%nat)", at.x, at.y)
	f.prove("Workbench.Mechanism.least_delta q %s %s m", witness, coqRational(w), coqRational(at.by))
	return f, nil
}

// coqDistortion states the distortion at a dataset or under a prior.
func coqDistortion(ctx context.Context, s *mechanism.DistortionStatement) (*CoqFile, error) {
	c, err := newCoqMechanism(ctx, s.Of)
	if err != nil {
		return nil, err
	}
	if s.Prior == nil {
		v := c.distortion(s.Dataset)
		f := c.file("The expected distortion of %s at dataset %d is %s.", s.Of.Name(), s.Dataset, v.RatString())
		f.prove("Workbench.Mechanism.distortion q m %d == %s", "apply Workbench.Checks.distortion_sound", s.Dataset, coqRational(v))
		return f, nil
	}
	v := new(big.Rat)
	for x, p := range s.Prior {
		v.Add(v, new(big.Rat).Mul(p, c.distortion(x)))
	}
	f := c.file("The expected distortion of %s under the prior is %s.", s.Of.Name(), v.RatString())
	f.prove("Workbench.Mechanism.mean q %s m == %s", "apply Workbench.Checks.mean_sound", f.prior(s.Prior), coqRational(v))
	return f, nil
}

// coqOptimum states the optimum of a query.
func coqOptimum(ctx context.Context, o *optimize.Optimal) (*CoqFile, error) {
	exact, ok := o.Optimum().(evidence.Exact)
	switch {
	case o.Objective() == optimize.Pareto:
		return nil, parameter.Bad("objective", o.Objective(), `"mean" or "worst" for a Coq file`)
	case !ok:
		return nil, parameter.Errorf("no Coq file of %s: it is not known as a rational number", o.Optimum())
	}
	eps, delta := o.Guarantee()
	w, err := coqRatio(eps)
	if err != nil {
		return nil, err
	}
	c, err := newCoqMechanism(ctx, o)
	if err != nil {
		return nil, err
	}
	proof := o.Certificate()
	value := coqRational(exact.Value)
	private, rule := "(Workbench.Mechanism.dp q "+coqRational(w)+")", "optimum_sound"
	if !delta.IsZero() {
		private, rule = "(Workbench.Mechanism.dp_delta q "+coqRational(w)+" "+coqRational(delta.Rat())+")", "optimum_delta_sound"
	}
	f := c.file("On this query the least %s of all mechanisms that are %s is %s.", coqObjective[o.Objective()], coqPrivate(eps, delta), exact.Value.RatString())
	f.prices(c, proof)
	if o.Objective() == optimize.Worst {
		f.define("weights : nat -> Q", "Workbench.Mechanism.listed (%s)%%Z", coqRow(proof.Bound))
		f.goals = []coqGoal{{"Workbench.Mechanism.optimum q " + private + " (Workbench.Mechanism.worst q) " + value, "apply Workbench.Checks.worst_" + rule + " with (m := m) (weights := weights) (prices := prices)"}}
	} else {
		cost := "(Workbench.Mechanism.mean q " + f.prior(proof.Weight) + ")"
		f.goals = []coqGoal{{"Workbench.Mechanism.optimum q " + private + " " + cost + " " + value, "apply Workbench.Checks.mean_" + rule + " with (m := m) (prices := prices)"}}
	}
	return f, nil
}

var coqObjective = map[optimize.Objective]string{optimize.Mean: "expected distortion under the prior", optimize.Worst: "largest distortion of a dataset"}

// prior returns the Coq expression of a prior. It adds a definition to the file unless the prior is uniform.
func (f *CoqFile) prior(p []*big.Rat) string {
	uniform := big.NewRat(1, int64(len(p)))
	for _, v := range p {
		if v.Cmp(uniform) != 0 {
			f.define("prior : nat -> Q", "Workbench.Mechanism.listed (%s)%%Z", coqRow(p))
			return "prior"
		}
	}
	return "(Workbench.Mechanism.uniform q)"
}

// prices defines the prices of a dual solution for all values. A dominated value has the prices of a kept value that is
// at least as close to every f(x).
func (f *CoqFile) prices(c *coqMechanism, proof optimize.Certificate) {
	stands := c.stands(proof.Values)
	rows := make(map[[2]int][]*big.Rat)
	var pairs [][2]int
	den := big.NewInt(1)
	for _, key := range proof.Keys() {
		pair := [2]int{key[0], key[1]}
		if rows[pair] == nil {
			rows[pair] = make([]*big.Rat, len(stands))
			for r := range rows[pair] {
				rows[pair][r] = new(big.Rat)
			}
			pairs = append(pairs, pair)
		}
		price := new(big.Rat).Mul(proof.Up[key], proof.Unit) // per unit of distance, not per step
		den = lcm(den, price.Denom())
		for r, s := range stands {
			if s == key[2] {
				rows[pair][r] = price
			}
		}
	}
	lines := make([]string, len(pairs))
	for i, pair := range pairs {
		lines[i] = fmt.Sprintf("Workbench.Checks.Price %d %d (%s)", pair[0], pair[1], coqRowOver(den, rows[pair]))
	}
	f.define("prices : list Workbench.Checks.price", "[\n  %s]%%Z", strings.Join(lines, ";\n  "))
}
