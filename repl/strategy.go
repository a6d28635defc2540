package repl

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/script"
	"dpworkbench/verify"
	"dpworkbench/workload"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// strategyOf is a strategy with its workload's script value, which caches the optimum.
type strategyOf struct {
	*workload.Strategy
	of *script.Object
}

func newStrategy(c *script.Call) (any, error) {
	r := workload.StrategyParams{Objective: objectiveOf(c), Participation: participationOf(c)}
	for name, at := range map[string]*int{"bands": &r.Bands, "degree": &r.Degree, "arity": &r.Arity} {
		if c.Given(name) {
			*at = c.Int(name)
		}
	}
	of := c.Value("w").(*script.Object)
	w := workloadClass.Arg(c, "w")
	var s *workload.Strategy
	var err error
	if how, named := c.Arg("how").(string); named {
		s, err = strategyNamed(c, of, w, how, r)
	} else {
		s, err = workload.FromEncoder(c.Context, w, c.Arg("how").(*mat.Dense), r)
	}
	return &strategyOf{s, of}, err
}

// strategyNamed returns the strategy with this name. The optimal one comes from the workload's cached optimum.
func strategyNamed(
	c *script.Call, of *script.Object, w workload.Workload, how string, r workload.StrategyParams,
) (*workload.Strategy, error) {
	if how != "optimal" {
		return workload.NewStrategy(c.Context, w, how, r)
	}
	if err := r.Check(w, how); err != nil {
		return nil, err
	}
	o, err := bestOf(c, of, r.Objective, r.Participation, 0)
	if err != nil {
		return nil, err
	}
	return workload.FromOptimum(c.Context, w, o, r)
}

// overOptimum returns the error of a strategy divided by the optimum.
func (s *strategyOf) overOptimum(c *script.Call) (evidence.Certified, error) {
	o, err := bestOf(c, s.of, s.Params.Objective, s.Params.Participation, 0)
	return s.OverOptimum(o), err
}

// streamed returns n, or nil if n is −1, as for a strategy that cannot stream.
func streamed(n int) any { return onlyIf(n >= 0, n) }

const strategySetup = workloadSetup + "s = strategy(w, \"square_root\")\n"

const shortSetup = "s = strategy(prefix_sums(3), \"square_root\")\n"

var strategyClass = &script.Class[*strategyOf]{
	Answers: script.Answers[*strategyOf]{
		"verify": recomputed(func(ctx context.Context, s *strategyOf) (*verify.Report, error) {
			return verify.Strategy(ctx, s.Strategy)
		}),
	},
	Name: "strategy", Help: "A factorisation W = BC of a linear workload, with its errors at equal privacy.", Setup: strategySetup,
	Show: func(s *strategyOf) string {
		return fmt.Sprintf("<strategy %s for %s: %s error %s at unit sensitivity, participation %s>", s.Name, s.Workload.Name(), s.Params.Objective, evidence.FormatInterval(s.Error(), 6), s.Params.Participation)
	},
	Attrs: []script.Attr[*strategyOf]{
		script.Get("name -> string", "The name of the strategy; \"given\" for a matrix.", "", func(s *strategyOf) any { return s.Name }),
		script.Get("sensitivity -> evidence", "The largest change of Cx, in the Euclidean norm, that one person can cause with a contribution to "+
			"each step that participation allows. A contribution is a vector of norm at most 1, or a number if "+
			"contributions are scalar. Certified; s.sharp says whether the bounds differ by rounding alone.", "", func(s *strategyOf) any { return s.Sensitivity }),
		script.Get("sharp -> bool", "Whether the bounds of sensitivity differ by rounding alone. They do in three cases: with one "+
			"participation; if CᵀC has no negative entry and epochs are a fixed distance apart; and if the columns of "+
			"one person are orthogonal.", "", func(s *strategyOf) any { return s.Sharp }),
		script.Get("max_error -> evidence", "The largest standard deviation of an answer at unit sensitivity: for noise on Cx with standard "+
			"deviation s.sensitivity. At (ε, δ) the answers have 1/μ times this standard deviation, where μ is "+
			"that of the analytic Gaussian mechanism. Certified.", "", func(s *strategyOf) any { return s.MaxError }),
		script.Get("rms_error -> evidence", "The root of the mean variance of the answers at unit sensitivity. "+
			"Certified.", "", func(s *strategyOf) any { return s.RMSError }),
		script.Do("over_optimum -> evidence", "By how many per cent the error of the objective, max_error or rms_error, exceeds optimum(w): the "+
			"least error of any strategy for the workload and participation. Certified.",
			"", func(c *script.Call, s *strategyOf) (any, error) {
				return s.overOptimum(c)
			}),
		script.Do("encoder -> matrix", "C, with a row for each measurement. s.encoder.save(\"c.npy\") writes it to a file, and strategy(w, "+
			"read_npy(\"c.npy\")) uses it again.", "s = strategy(prefix_sums(3), \"tree\")\nprint(s.encoder)", func(_ *script.Call, s *strategyOf) (any, error) { return written(s.Encoder()) }),
		script.Do("decoder -> matrix", "B = WC⁺, a row for each answer, in float64.",
			"s = strategy(prefix_sums(3), \"tree\")\nprint(s.decoder)", func(_ *script.Call, s *strategyOf) (any, error) { return written(s.Decoder()) }),
		script.Get("memory -> int?", "How many numbers a stream stores to compute C⁻¹z from its noise z; the noise of the answers is WC⁻¹z. "+
			"None if an answer needs later measurements.", "", func(s *strategyOf) any { return streamed(s.Memory) }),
		script.Get("multiplications -> int?", "How many multiplications a stream needs to compute C⁻¹z at its last step.", "", func(s *strategyOf) any { return streamed(s.Steps) }),
		script.Do("sigma(eps: epsilon, delta: delta) -> number",
			"The least standard deviation of the noise on each entry of Cx that is (eps, delta)-private by the "+
				"analytic Gaussian mechanism, rounded up. release uses it.", "(1, 1e-6)",
			func(c *script.Call, s *strategyOf) (any, error) {
				n, err := s.Calibrate(c.Epsilon("eps"), c.Delta("delta"), nil)
				if err != nil {
					return nil, err
				}
				return n.Sigma, nil
			}),
		script.Do("epsilon_at(delta: delta0, sigma: deviation) -> evidence",
			"The least ε, in nats, at which noise of standard deviation sigma on each entry of Cx is (ε, "+
				"delta)-private, by the analytic Gaussian mechanism. Certified. delta_at is its inverse. sigma is "+
				"a noise multiplier times s.sensitivity.", "(1e-6, 10)", func(c *script.Call, s *strategyOf) (any, error) {
				return s.EpsilonAt(c.Delta("delta"), c.Rational("sigma"))
			}),
		script.Do("delta_at(eps: epsilon0, sigma: deviation) -> evidence",
			"The least δ at which noise of standard deviation sigma on each entry of Cx is (eps, δ)-private, by the "+
				"analytic Gaussian mechanism. Certified. epsilon_at is its inverse.", "(1, 5)",
			func(c *script.Call, s *strategyOf) (any, error) {
				return s.DeltaAt(c.Epsilon("eps"), c.Rational("sigma"))
			}),
		script.Do("error_at(eps: epsilon, delta: delta) -> evidence",
			"The error of the objective at (eps, delta): the largest standard deviation of an answer, or the root of "+
				"the mean variance. Certified.", "(1, 1e-6)", func(c *script.Call, s *strategyOf) (any, error) {
				return workload.ErrorAt(s.Error(), c.Epsilon("eps"), c.Delta("delta"))
			}),
		script.Do("release(x: numbers|dense, eps: epsilon, delta: delta, grid: rational=None, seed: seed=None) -> "+
			"released|list|matrix", "Releases the answers Wx. x is a list of numbers, or a matrix whose rows are sums of persons' "+
			"vectors of norm at most 1. Cx is computed exactly, and normal noise with exactly its law, drawn "+
			"from the operating system's generator, is added. Each sum is rounded to the nearest multiple of "+
			"grid, decided exactly. The decoder then computes the answers, which is post-processing. grid None "+
			"means a power of two of at most 2^-32 times sigma."+seedHelp, shortSetup+
			"r = s.release([1, 0, 1], 1, 1e-6)\nprint(r, r.record[\"epsilon\"])\nprint(s.release([1, 0, 1], 1, 1e-6, "+
			"seed=1))", releaseStrategy),
		script.Do("stream(eps: epsilon, delta: delta, grid: rational=None, seed: seed=None) -> stream",
			"A stream that releases the answers one by one, with (eps, delta) for all of them together. "+
				"t.add(x) takes the number or vector of the next step and returns its answer. A later x may depend "+
				"on earlier answers. Without seed, the noise is drawn from the operating system's generator, "+
				"exactly as in release.", shortSetup+
				"t = s.stream(1, 1e-6, seed=1)\nprint(t.add(1), t.add(0))", newStream),
	},
}

// asked returns the noise that a call of release or stream asks for.
func (s *strategyOf) asked(c *script.Call) *workload.Noise {
	return must(s.Calibrate(c.Epsilon("eps"), c.Delta("delta"), c.Rational("grid")))
}

// recordOf returns the record of a strategy's noise.
func recordOf(n *workload.Noise) (record, error) {
	s := n.Strategy
	eps, err := n.Epsilon()
	return record{
		parameters: map[string]any{"workload": s.Workload.Name(), "strategy": s.Name, "participation": s.Params.Participation.String(),
			"sensitivity": s.Sensitivity, "sigma": n.Sigma},
		neighbors: "vectors x that differ in the steps of one person, by " + s.Params.Participation.Contributions() +
			"; participation: " + s.Params.Participation.String(),
		draws: 1, epsilon: eps, delta: starlark.Float(n.Delta.Value()), grid: fractionOf(n.Grid), warnings: coarse(n.Grid, n.Sigma),
	}, err
}

func releaseStrategy(c *script.Call, s *strategyOf) (any, error) {
	n := s.asked(c)
	x, matrix := c.Arg("x").(*mat.Dense)
	if list, ok := c.Arg("x").([]float64); ok {
		if len(list) == 0 {
			c.Fail("x", c.Value("x"), "a number for each column of the workload")
		}
		x = mat.NewDense(len(list), 1, list)
	}
	return release(c, "strategy "+s.Name+" for "+s.Workload.Name(), func(src rand.Source) (any, error) {
		answers, err := n.Release(c.Context, x, src)
		if err != nil || matrix {
			return answers, err
		}
		return mat.Col(nil, 0, answers), nil
	}, func(*script.Call) (record, error) { return recordOf(n) })
}

// streamOf is a stream, and whether it is a simulation.
type streamOf struct {
	*workload.Stream
	simulated bool
}

func newStream(c *script.Call, s *strategyOf) (any, error) {
	src, simulated := simulating(c)
	t, err := s.asked(c).NewStream(src)
	return &streamOf{t, simulated}, err
}

const streamSetup = shortSetup + "t = s.stream(1, 1e-6, seed=1)\n"

var streamClass = &script.Class[*streamOf]{
	Name: "stream", Once: "made anew it would draw other noise, and forget its steps", Help: "A stream whose " +
		"answers are released one by one.", Setup: streamSetup,
	Show: func(t *streamOf) string {
		n, _ := t.Noise.Strategy.Workload.Dims()
		return fmt.Sprintf("<stream of strategy %s for %s: %d of %d steps>", t.Noise.Strategy.Name, t.Noise.Strategy.Workload.Name(), t.Step(), n)
	},
	Attrs: []script.Attr[*streamOf]{
		script.Do("add(x: number|numbers) -> number|list",
			"Takes the number of the next step, or a vector whose length is that of the first step and to "+
				"which each person adds a vector of norm at most 1. It releases the answer of this step: a number "+
				"for a number, a list for a list.", "(1)",
			func(c *script.Call, t *streamOf) (any, error) {
				if x, ok := c.Arg("x").([]float64); ok {
					return t.Add(c.Context, x)
				}
				answer, err := t.Add(c.Context, []float64{c.Float("x")})
				if err != nil {
					return nil, err
				}
				return answer[0], nil
			}).Varying(),
		script.Get("step -> int", "The number of steps released.", "", func(t *streamOf) any { return t.Step() }).Varying(),
		script.Do("record -> dict?", "The guarantee of all answers together, as in the record of a release; None if the stream is simulated "+
			"from a seed.", "print(strategy(prefix_sums(3), \"square_root\").stream(1, "+
			"1e-6).record[\"epsilon\"])", func(c *script.Call, t *streamOf) (any, error) {
			if t.simulated {
				return nil, nil
			}
			return (&released{nil, "stream of strategy " + t.Noise.Strategy.Name + " for " + t.Noise.Strategy.Workload.Name(), func(*script.Call) (record, error) { return recordOf(t.Noise) }}).kept(c)
		}),
	},
}
