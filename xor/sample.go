package xor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Method is a sampling method.
type Method string

// Auto takes the first of Closed, Enumerated and Perfect that applies. Their draws follow exactly the law. If none
// applies, Auto takes EHMC. EHMC and Gibbs are Markov chains. Their draws differ from the law by an unknown distance,
// and are only (ε, δ)-private for an unknown δ (ehmc.DeltaOf). They refuse a [CryptoSource], the source for releases.
const (
	Auto       Method = "auto"
	Closed     Method = "closed"
	Enumerated Method = "enumerate"
	Perfect    Method = "perfect"
	EHMC       Method = "ehmc"
	Gibbs      Method = "gibbs"
	// Published is Algorithm 2 as printed, which is refuted: it draws fair coins for every law.
	Published Method = "printed"
)

// Report says how a sample was drawn.
type Report struct {
	Method Method // the method that was used
	// Exact reports whether every outcome has exactly its probability, for the law with exactly these float64
	// parameters, if the source's words are fair and independent.
	Exact bool
	// Diagnosis is the diagnosis of the number of ones over the pilot run of the Markov chains. It is zero for other
	// methods.
	Diagnosis ehmc.Diagnosis
	Thin      int // steps between draws
	Note      string
}

// perfectSweeps bounds the number of sweeps into the past that Auto and Perfect make.
const perfectSweeps = 1 << 14

// maxSampleBytes bounds the memory of one call's draws; tests lower it.
var maxSampleBytes = 1 << 32

// Noise returns k draws of the noise. It returns an error wrapping evidence.ErrParameter if k < 1, the draws take
// more than 4 GiB, the method is unknown or does not apply to the law, or src is a CryptoSource and no exact method
// applies. It returns one wrapping ehmc.ErrNotCoalesced if Perfect gives up, one wrapping sampling.ErrUndecided if
// a comparison would take more than sampling.MostBits digits, and ctx's error.
func (b *Bernoulli) Noise(ctx context.Context, k int, method Method, src rand.Source) ([]*Bits, Report, error) {
	if k < 1 {
		return nil, Report{}, parameter.Errorf("k = %d draws, want at least 1", k)
	}
	if bytes := float64(k) * bitBytes(b.n, b.p); bytes > float64(maxSampleBytes) {
		return nil, Report{}, parameter.Errorf("k = %d draws of %d × %d bits take %.3g GB, want at most %.3g GB", k, b.n, b.p, bytes/1e9, float64(maxSampleBytes)/1e9)
	}
	if isReal(src) && (method == EHMC || method == Gibbs || method == Published) {
		return nil, Report{}, parameter.Errorf(`method = %q draws noise whose privacy is not known, want closed, enumerate or perfect with source = "crypto", or source = "seed" for research`, method)
	}
	switch method {
	case Auto:
		return b.sampleAuto(ctx, k, src)
	case Closed:
		return b.sampleClosed(ctx, k, src)
	case Enumerated:
		return b.sampleEnumerated(ctx, k, src)
	case Perfect:
		return b.samplePerfect(ctx, k, src)
	case EHMC, Gibbs:
		return b.sampleChain(ctx, k, method, src)
	case Published:
		chain, err := ehmc.NewPublished(b, 1.5*math.Pi, src)
		if err != nil {
			return nil, Report{}, err
		}
		var out []*Bits
		for range k {
			if _, err := ehmc.StepUntil(ctx, chain); err != nil {
				return nil, Report{}, err
			}
			out = append(out, fromFlat(b.n, b.p, chain.State().Bits))
		}
		return out, Report{Method: Published, Note: "REFUTED: the printed motion never looks at the law"}, ctx.Err()
	}
	return nil, Report{}, parameter.Bad("method", method, "auto, closed, enumerate, perfect, ehmc, gibbs or printed")
}

// isReal reports whether src is the source of a real release, which requires an exact method.
func isReal(src rand.Source) bool {
	_, real := src.(*CryptoSource)
	return real
}

func (b *Bernoulli) sampleAuto(ctx context.Context, k int, src rand.Source) ([]*Bits, Report, error) {
	if b.cols != nil {
		return b.sampleClosed(ctx, k, src)
	}
	if out, report, err := b.sampleEnumerated(ctx, k, src); !errors.Is(err, evidence.ErrParameter) {
		return out, report, err
	}
	out, report, err := b.samplePerfect(ctx, k, src)
	var why string
	switch {
	case errors.Is(err, evidence.ErrParameter):
		why = "parts too large to enumerate, couplings frustrated"
	case errors.Is(err, ehmc.ErrNotCoalesced):
		why = "parts too large to enumerate, coupling from the past did not coalesce"
	default:
		return out, report, err
	}
	if isReal(src) {
		return nil, Report{}, parameter.Errorf(`no exact sampler for this law: %s; the privacy of noise from a Markov chain is not known, want source = "seed" for research, or a law with smaller independent parts`, why)
	}
	out, report, err = b.sampleChain(ctx, k, EHMC, src)
	report.Note = why + "; " + report.Note
	return out, report, err
}

const closedNote = "exact in law: the number of ones of each exchangeable column, compared digit by digit until decided, then a uniform subset"

func (b *Bernoulli) sampleClosed(ctx context.Context, k int, src rand.Source) ([]*Bits, Report, error) {
	if b.cols == nil {
		return nil, Report{}, parameter.Errorf(`method = "closed" needs Θ = θI and every Λ_ij = λI`)
	}
	var out []*Bits
	for range k {
		m, err := b.cols.Noise(ctx, src)
		if err != nil {
			return nil, Report{}, err
		}
		out = append(out, m)
	}
	return out, Report{Method: Closed, Exact: true, Note: closedNote}, nil
}

func (b *Bernoulli) sampleEnumerated(ctx context.Context, k int, src rand.Source) ([]*Bits, Report, error) {
	parts, err := b.components(ctx)
	if err != nil {
		return nil, Report{}, err
	}
	for _, c := range parts { // check all parts before computing
		if len(c.bits) > maxTable {
			_, err := newTable(ctx, make([]float64, len(c.bits)), nil)
			return nil, Report{}, err
		}
	}
	out := lists.Of(k, func(int) *Bits { return newBits(b.n, b.p) })
	known := make(map[string]*table) // equal parts are computed once
	for _, c := range parts {
		diag, rows := b.dense(c.bits)
		key := partKey(diag, rows)
		t := known[key]
		if t == nil {
			if t, err = newTable(ctx, diag, rows); err != nil {
				return nil, Report{}, err
			}
			if len(c.bits) <= 12 { // larger tables take megabytes and are not cached
				known[key] = t
			}
		}
		for _, m := range out {
			for copy := range c.copies {
				if copy%4096 == 0 && ctx.Err() != nil {
					return nil, Report{}, ctx.Err()
				}
				by := b.shift(c, copy)
				s, err := t.draw(ctx, src)
				if err != nil {
					return nil, Report{}, err
				}
				for place, bit := range c.bits {
					if s>>place&1 == 1 {
						m.Set((bit+by)/b.p, (bit+by)%b.p, true)
					}
				}
			}
		}
	}
	return out, Report{Method: Enumerated, Exact: true, Note: "exact in law: a state of each independent part, compared with its enumerated law digit by digit until decided"}, nil
}

func (b *Bernoulli) samplePerfect(ctx context.Context, k int, src rand.Source) ([]*Bits, Report, error) {
	p, err := ehmc.NewPerfect(ctx, b)
	if err != nil {
		return nil, Report{}, err
	}
	var out []*Bits
	for range k {
		bits, _, err := p.Sample(ctx, perfectSweeps, src)
		if err != nil {
			return nil, Report{}, err
		}
		out = append(out, fromFlat(b.n, b.p, bits))
	}
	return out, Report{Method: Perfect, Exact: true, Note: "exact in law: monotone coupling from the past, heat baths compared digit by digit until decided; it replays ChaCha8, keyed from the source"}, nil
}

// Number of Markov chains, steps of burn-in, and steps from which the autocorrelation time is estimated. Draws are
// separated by a multiple of this time.
const (
	chainCount = 4
	burnSteps  = 300
	pilotSteps = 200
	thinTimes  = 5
)

func (b *Bernoulli) sampleChain(ctx context.Context, k int, method Method, src rand.Source) ([]*Bits, Report, error) {
	chains := make([]ehmc.Sampler, chainCount)
	traces := make([][]float64, chainCount)
	done := parallel.Count(ctx, chainCount*(burnSteps+pilotSteps), "steps of burn-in and pilot")
	for c := range chains {
		own := draw.NewKey(src).Source()
		start, err := ehmc.NewRandomState(b, own)
		if err != nil {
			return nil, Report{}, err
		}
		if method == Gibbs {
			chains[c], err = ehmc.NewGibbs(b, start.Bits, own)
		} else {
			chains[c], err = ehmc.NewGaussian(b, start.Bits, ehmc.GaussianOptions{Turns: 2}, own)
		}
		if err != nil {
			return nil, Report{}, err
		}
		for step := range burnSteps + pilotSteps {
			if _, err := ehmc.StepUntil(ctx, chains[c]); err != nil {
				return nil, Report{}, err
			}
			done(1)
			if step >= burnSteps {
				traces[c] = append(traces[c], float64(chains[c].State().Ones()))
			}
		}
	}
	report := Report{Method: method}
	var err error
	if report.Diagnosis, err = ehmc.Diagnose(traces); err != nil {
		return nil, Report{}, err
	}
	report.Thin = int(math.Ceil(thinTimes * math.Max(1, math.Min(report.Diagnosis.Tau, pilotSteps))))
	report.Note = fmt.Sprintf("Markov chain, %d steps of burn-in, every %d-th kept: if its law is τ from the wanted one in total variation, noise at ε is (ε, (1 + e^ε)τ)-private; τ is not known", burnSteps, report.Thin)
	var out []*Bits
	for i := range k {
		parallel.Report(ctx, int64(i), int64(k), "draws")
		chain := chains[i%chainCount]
		for range report.Thin {
			if _, err := ehmc.StepUntil(ctx, chain); err != nil {
				return nil, Report{}, err
			}
		}
		out = append(out, fromFlat(b.n, b.p, chain.State().Bits))
	}
	return out, report, nil
}

// Distance compares independent draws of a sampler with the law, state by state, see [ehmc.TotalVariation]. It returns
// an error wrapping evidence.ErrParameter above 16 bits, if there are more states than draws, for draws of another
// shape, without draws, and unless alpha is in (0, 1).
func (b *Bernoulli) Distance(samples []*Bits, alpha float64) (ehmc.Distance, error) {
	const most = 16
	if b.Dim() > most {
		return ehmc.Distance{}, parameter.Errorf("the law has 2^%d states to compare with, want at most %d bits", b.Dim(), most)
	}
	p, err := ehmc.Probabilities(b)
	if err != nil {
		return ehmc.Distance{}, err
	}
	counts := make([]int, len(p))
	for i, m := range samples {
		if rows, columns := m.Shape(); rows != b.n || columns != b.p {
			return ehmc.Distance{}, parameter.Errorf("samples[%d] is %d × %d, want %d × %d", i, rows, columns, b.n, b.p)
		}
		counts[m.number()]++
	}
	return ehmc.TotalVariation(p, counts, alpha)
}
