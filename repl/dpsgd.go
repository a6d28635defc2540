package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/script"
)

// trainingLoop is a training loop, with the parameter found by calibration.
type trainingLoop struct {
	*privacy.DPSGD
	found evidence.Number // the calibrated number, or nil
	delta evidence.Delta  // 0 if not given
}

// dpsgdBuiltins returns the accountant of training loops.
func dpsgdBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`dp_sgd(noise_multiplier: rational_choice=None, rate: rational=None, steps: int[1..1073741824]=None, sampling: "poisson"|"without_replacement"="poisson", eps: epsilon=None, delta: delta=None) -> training`,
			`The accountant of DP-SGD, training with a noise multiplier (Abadi and others 2016, whose accountant was the moments accountant): steps uses of Gaussian noise on samples of the records. rate is the batch size divided by the number of records. noise_multiplier is the standard deviation of the noise in units of the L2 sensitivity, as in TensorFlow Privacy and Opacus. "poisson" sampling has neighbors that add or remove a record, where the sensitivity is the clipping norm; "without_replacement" has neighbors that replace one, where it is twice that. With all three numbers it returns the privacy of the loop: t.epsilon_at(delta), t.delta_at(eps). With eps and delta, omit one of the three: the loop then has the least noise multiplier, the largest rate or the largest number of steps that is (eps, delta)-private, to four digits, rounded to the safe side; t.found has its evidence. t.table() compares with RDP and the central limit theorem.`,
			"t = dp_sgd(noise_multiplier=1, rate=\"1/100\", steps=1000)\nprint(t.epsilon_at(1e-6))\nprint(dp_sgd(rate=1, steps=100, eps=1, delta=1e-5))", newTraining),
	}
}

func newTraining(c *script.Call) (any, error) {
	var missing []string
	for _, name := range []string{"noise_multiplier", "rate", "steps"} {
		if !c.Given(name) {
			missing = append(missing, name)
		}
	}
	noise, rate, kind, t := c.Rational("noise_multiplier"), c.Rational("rate"), privacy.Sampling(c.Text("sampling")), &trainingLoop{}
	steps := 0
	if c.Given("steps") {
		steps = c.Int("steps")
	}
	if c.Given("delta") {
		t.delta = c.Delta("delta")
	}
	var err error
	switch {
	case len(missing) == 0 && c.Given("eps"):
		c.Stop("eps, noise_multiplier, rate and steps are all given: leave out one of the last three to find it, or leave out eps and call epsilon_at(delta)")
	case len(missing) == 0:
		t.DPSGD, err = privacy.NewDPSGD(c.Context, noise, rate, steps, kind)
	case len(missing) > 1 || !c.Given("eps") || !c.Given("delta"):
		c.Stop("want noise_multiplier, rate and steps, or two of them with eps and delta to find the third")
	default:
		given := &privacy.DPSGD{NoiseMultiplier: noise, Rate: rate, Steps: steps, Sampling: kind}
		t.DPSGD, t.found, err = privacy.CalibrateDPSGD(c.Context, given, privacy.DPSGDParameter(missing[0]), c.Epsilon("eps"), t.delta)
	}
	return t, err
}

func asFloat(q *big.Rat) float64 {
	f, _ := q.Float64()
	return f
}

const trainingSetup = "t = dp_sgd(noise_multiplier=20, rate=1, steps=25, delta=1e-5)\n"

var trainingClass = &script.Class[*trainingLoop]{
	Name: "training", Wanted: "a training loop", Help: "The privacy of a training loop, DP-SGD: dp_sgd makes it.", Setup: trainingSetup,
	Show: func(t *trainingLoop) string {
		if t.found != nil {
			return fmt.Sprintf("<%v; found %v>", t.DPSGD, t.found)
		}
		return fmt.Sprintf("<%v>", t.DPSGD)
	},
	Attrs: append([]script.Attr[*trainingLoop]{
		script.Get("noise_multiplier -> number", "The standard deviation of the noise in units of the L2 sensitivity.", "", func(t *trainingLoop) any { return asFloat(t.NoiseMultiplier) }),
		script.Get("rate -> number", "The rate at which each step draws records.", "", func(t *trainingLoop) any { return asFloat(t.Rate) }),
		script.Get("steps -> int", "The number of steps.", "", func(t *trainingLoop) any { return t.Steps }),
		script.Get("sampling -> string", `How records are drawn: "poisson" or "without_replacement".`, "", func(t *trainingLoop) any { return string(t.Sampling) }),
		script.Get("neighbors -> string", `Which datasets are neighbors: "add_remove" under Poisson sampling, "replace" without replacement.`, "", func(t *trainingLoop) any { return string(t.Relation()) }),
		script.Get("found -> evidence?", "The calibrated parameter, the least or largest that is private enough. Its value is the loop's, proven private. The other end is proven not private; it is the next number of four digits if that can be decided. None without calibration.", "dp_sgd(noise_multiplier=20, rate=1, eps=1, delta=1e-5).found", func(t *trainingLoop) any {
			return onlyIf(t.found != nil, t.found)
		}),
		script.Do("table(delta: delta=None) -> table", "A table of ε at delta by several methods (None means the delta of dp_sgd): the composition of the steps, certified on both sides; Rényi differential privacy at the order that gives the least ε, as in a moments accountant, by the conversion ε = RDP + ln(1/δ)/(α − 1) and by that of Canonne, Kamath and Steinke 2020, upper bounds; and the central limit theorem (Bu and others 2020), an estimate that may be too small.", "()", func(c *script.Call, t *trainingLoop) (any, error) {
			delta := t.delta
			if c.Given("delta") {
				delta = c.Delta("delta")
			} else if delta.IsZero() {
				c.Stop("delta is missing, want it here or in the call of dp_sgd")
			}
			var rows [][]any
			for _, r := range must(t.Compare(c.Context, delta)) {
				row := []any{r.Method, r.Value, r.Kind}
				if r.Epsilon != nil {
					row[1] = r.Epsilon
				}
				rows = append(rows, row)
			}
			return newTable(c, fmt.Sprintf("ε at δ = %v", delta), []string{"method", "ε", "what it is"}, rows, 6)
		}),
		script.Do("smallest_epsilon -> evidence", "The smallest ε, in nats, at δ = 0: inf, because the losses of Gaussian noise are unbounded. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, t *trainingLoop) (any, error) {
			return t.Account().Epsilon(c.Context, evidence.Delta{})
		}),
	}, ownPrivacy[*trainingLoop]()...),
}
