package program

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/internal/parameter"
)

// largestDraws bounds the number of tosses, draws and comparisons of a run.
const largestDraws = 400

// errImpossible ends a run whose comparisons no draws satisfy.
var errImpossible = errors.New("no draws satisfy the comparisons")

// Noise is the source of a run's draws. Its methods do not return errors. After the first error, which Err returns,
// all methods return at once and the run's result is ignored.
type Noise struct {
	rates *rates
	stack []decision // tosses and comparisons of the run; a replayed run begins with those of the run before
	at    int        // how many of them the current run has reached
	state state
	err   error

	lastFlip flipped

	// Place returns the position of the run's caller, for errors about comparisons; nil if unknown.
	Place func() fmt.Stringer
}

// flipped is the coin that was tossed last. It is cached because most programs toss the same coin repeatedly.
type flipped struct {
	p       Probability
	weights []fraction
}

// decision is a point with several outcomes.
type decision struct {
	from    source     // of a toss
	weights []fraction // probabilities of a toss; nil for a comparison
	cut     comparison
	ways    []int    // possible outcomes, in order
	taken   int      // index in ways of the outcome that the run takes
	prefix  fraction // the probability of the tosses before it
}

// String formats the comparison, or the call that asked for the toss.
func (d *decision) String() string {
	if d.weights == nil {
		return d.cut.String()
	}
	return d.from.String()
}

// source describes the call that asked for a toss.
type source struct {
	kind    string
	n       int
	p       Probability
	weights []Probability
	scores  []*big.Rat
	rate    Rate
}

func (s *source) same(o *source) bool {
	if s.kind == "flip" && o.kind == "flip" {
		return s.p.same(o.p)
	}
	return s.kind == o.kind && s.n == o.n && s.p.same(o.p) && slices.EqualFunc(s.weights, o.weights, Probability.same) &&
		slices.EqualFunc(s.scores, o.scores, sameRational) && s.rate.same(o.rate)
}

// String formats the draw as the program writes it.
func (s source) String() string {
	var list []string
	for _, w := range s.weights {
		list = append(list, w.String())
	}
	for _, v := range s.scores {
		list = append(list, v.RatString())
	}
	in := strings.Join(list, ", ")
	switch s.kind {
	case "flip":
		in = s.p.String()
	case "integer":
		in = strconv.Itoa(s.n)
	case "exponential", "permute_and_flip":
		in = "[" + in + "], " + s.rate.String()
	}
	return s.kind + "(" + in + ")"
}

// draw is a draw of noise whose value stays symbolic.
type draw struct {
	step     exponent // of z, for one step away from 0
	oneSided bool
	what     string
}

// state holds the constraints on a run's draws. It is copied on change.
type state struct {
	draws []draw
	spans []known // at most one for each form
	prob  fraction
}

// known is a linear form of draws and its interval.
type known struct {
	form  form
	span  span
	where fmt.Stringer // the last comparison that bounded it; nil if unknown
}

// Err returns the first error of the run. The run should then return, because a loop that waits for a coin would
// never end. The error may be internal: the program will be run again with finer units, or the path is impossible.
func (n *Noise) Err() error {
	if n == nil { // a comparison of constants has no run
		return nil
	}
	return n.err
}

// Fail ends the run with an error.
func (n *Noise) Fail(err error) {
	if n.err == nil {
		n.err = err
	}
}

// End ends the run with err, the error that the run itself returned: err has the position of the first error and
// replaces it. An internal error stays.
func (n *Noise) End(err error) {
	if !errors.Is(n.err, errFiner) && !errors.Is(n.err, errImpossible) {
		n.err = err
	}
}

func (n *Noise) fail(format string, args ...any) { n.Fail(parameter.Errorf(format, args...)) }

// toss returns the outcome that the run takes. The function weigh returns the probabilities of the outcomes, which sum
// to 1.
func (n *Noise) toss(from *source, weigh func() ([]fraction, error)) int {
	if n.err != nil {
		return 0
	}
	if n.at < len(n.stack) {
		d := &n.stack[n.at]
		if !d.from.same(from) {
			n.strays(from.String(), d.String())
			return 0
		}
		n.at++
		way := d.ways[d.taken]
		if n.at == len(n.stack) { // earlier decisions do not need the probability
			n.state.prob = n.rates.field.mul(d.prefix, d.weights[way])
		}
		return way
	}
	if n.crowded() {
		return 0
	}
	weights, err := weigh()
	if err != nil {
		n.Fail(err)
		return 0
	}
	d := decision{from: *from, weights: weights, prefix: n.state.prob}
	for i, w := range weights {
		if !w.isZero() {
			d.ways = append(d.ways, i)
		}
	}
	n.stack = append(n.stack, d)
	n.at++
	n.state.prob = n.rates.field.mul(d.prefix, weights[d.ways[0]])
	return d.ways[0]
}

// strays ends a replay whose decision differs from that of the earlier run.
func (n *Noise) strays(now, then string) {
	n.fail("the program drew %s in one run and %s at the same place in another: want a function whose draws depend only on its dataset and its earlier draws", now, then)
}

func (n *Noise) crowded() bool {
	if len(n.stack)+len(n.state.draws) < largestDraws {
		return false
	}
	n.fail("a run makes %d draws and comparisons, want fewer: does the program terminate?", largestDraws)
	return true
}

// Flip returns true with probability p.
func (n *Noise) Flip(p Probability) bool {
	if n.err == nil && n.at < len(n.stack)-1 { // the common case: a replayed toss of the same coin
		if d := &n.stack[n.at]; p.rational != nil && d.from.p.rational == p.rational && d.from.kind == "flip" {
			n.at++
			return d.ways[d.taken] == 1
		}
	}
	return n.toss(&source{kind: "flip", p: p}, func() ([]fraction, error) {
		if last := n.lastFlip; last.weights != nil && last.p.same(p) {
			return last.weights, nil
		}
		w, err := n.rates.fraction(p)
		if err != nil {
			return nil, err
		}
		rest := n.rates.field.sub(n.rates.field.one(), w)
		if !n.rates.notNegative(w) || !n.rates.notNegative(rest) {
			return nil, parameter.Bad("p", p.String(), "a probability in [0, 1]")
		}
		n.lastFlip = flipped{p, []fraction{rest, w}}
		return n.lastFlip.weights, nil
	}) == 1
}

// Choice returns i with a probability proportional to weights[i].
func (n *Noise) Choice(weights []Probability) int {
	return n.toss(&source{kind: "choice", weights: weights}, func() ([]fraction, error) {
		out := make([]fraction, len(weights))
		for i, w := range weights {
			var err error
			if out[i], err = n.rates.fraction(w); err != nil {
				return nil, err
			}
			if !n.rates.notNegative(out[i]) {
				return nil, parameter.Bad(fmt.Sprintf("weights[%d]", i), w.String(), "at least 0")
			}
		}
		return n.shared(out)
	})
}

// shared divides weights by their sum.
func (n *Noise) shared(weights []fraction) ([]fraction, error) {
	f := n.rates.field
	var sum fraction
	for _, w := range weights {
		sum = f.add(sum, w)
	}
	if !n.rates.isPositive(sum) {
		return nil, parameter.Errorf("the sum of %d weights is not positive for every ε, want at least one positive weight", len(weights))
	}
	out := make([]fraction, len(weights))
	for i, w := range weights {
		if !w.isZero() {
			out[i] = f.quo(w, sum)
		}
	}
	return out, nil
}

// Integer returns a uniformly distributed number in 0 … k−1.
func (n *Noise) Integer(k int) int {
	if k < 1 || k > largestCut {
		n.Fail(parameter.Bad("n", k, "1 … %d", largestCut))
		return 0
	}
	return n.toss(&source{kind: "integer", n: k}, func() ([]fraction, error) {
		return slices.Repeat([]fraction{n.rates.field.rational(big.NewRat(1, int64(k)))}, k), nil
	})
}

// Exponential returns i with a probability proportional to e^{eps·scores[i]/2}: the exponential mechanism (McSherry and
// Talwar 2007) for scores of sensitivity 1.
func (n *Noise) Exponential(scores []*big.Rat, eps Rate) int {
	return n.toss(&source{kind: "exponential", scores: scores, rate: eps}, func() ([]fraction, error) {
		weights, err := n.gaps(scores, eps)
		if err != nil {
			return nil, err
		}
		return n.shared(weights)
	})
}

// PermuteAndFlip returns an index by permute-and-flip (McKenna and Sheldon 2020) for scores of sensitivity 1. It visits
// the indices in random order, and accepts i with probability e^{eps·(scores[i] − max)/2}.
func (n *Noise) PermuteAndFlip(scores []*big.Rat, eps Rate) int {
	return n.toss(&source{kind: "permute_and_flip", scores: scores, rate: eps}, func() ([]fraction, error) {
		w, err := n.gaps(scores, eps)
		if err != nil {
			return nil, err
		}
		return n.rates.permuted(w), nil
	})
}

// permuted returns the law of permute-and-flip, where w[i] is the probability of heads of coin i and one w[i] is 1.
// Exactly j given others precede i with probability j!(k−1−j)!/k!, and all of them must show tails. With e_j the
// elementary symmetric polynomials of the others' 1 − w, i has probability w_i Σ_j e_j j!(k−1−j)!/k!.
func (r *rates) permuted(w []fraction) []fraction {
	f := r.field
	k := len(w)
	order := new(big.Int).MulRange(1, int64(k))
	out := make([]fraction, k)
	for i := range w {
		e := []fraction{f.one()}
		for j, v := range w {
			if j == i {
				continue
			}
			tails := f.sub(f.one(), v)
			e = append(e, fraction{})
			for t := len(e) - 1; t > 0; t-- {
				e[t] = f.add(e[t], f.mul(e[t-1], tails))
			}
		}
		var sum fraction
		for j, s := range e {
			ways := new(big.Int).MulRange(1, int64(j))
			ways.Mul(ways, new(big.Int).MulRange(1, int64(k-1-j)))
			sum = f.add(sum, f.scale(s, new(big.Rat).SetFrac(ways, order)))
		}
		out[i] = f.mul(w[i], sum)
	}
	return out
}

// gaps returns e^{eps·(score − max)/2} for each score.
func (n *Noise) gaps(scores []*big.Rat, eps Rate) ([]fraction, error) {
	if len(scores) == 0 {
		return nil, parameter.Errorf("scores is empty, want at least one score")
	}
	top := slices.MaxFunc(scores, (*big.Rat).Cmp)
	out := make([]fraction, len(scores))
	for i, s := range scores {
		gap := new(big.Rat).Sub(top, s)
		e, err := n.rates.exponent(eps, gap.Mul(gap, big.NewRat(1, 2)))
		if err != nil {
			return nil, err
		}
		out[i] = n.rates.field.power(e)
	}
	return out, nil
}

// Geometric returns an integer k of probability proportional to e^{−eps·|k|/sensitivity}:
// discrete Laplace noise.
func (n *Noise) Geometric(eps Rate, sensitivity *big.Rat) SymbolicDraw {
	return n.drawn("geometric", eps, sensitivity, false)
}

// OneSided returns an integer k ≥ 0 of probability (1 − z) z^k, z = e^{−eps}.
func (n *Noise) OneSided(eps Rate) SymbolicDraw {
	return n.drawn("one_sided", eps, big.NewRat(1, 1), true)
}

func (n *Noise) drawn(name string, eps Rate, sensitivity *big.Rat, oneSided bool) SymbolicDraw {
	if n.err != nil || n.crowded() {
		return Constant(new(big.Rat))
	}
	if sensitivity.Sign() <= 0 {
		n.Fail(parameter.Bad("sensitivity", sensitivity, "a positive number"))
		return Constant(new(big.Rat))
	}
	step, err := n.rates.exponent(eps, new(big.Rat).Inv(sensitivity))
	if err != nil {
		n.Fail(err)
		return Constant(new(big.Rat))
	}
	d := draw{step, oneSided, fmt.Sprintf("%s(%v/%s)", name, eps, sensitivity.RatString())}
	draws := n.state.draws
	n.state.draws = append(draws[:len(draws):len(draws)], d)
	return SymbolicDraw{[]part{{len(draws), 1}}, new(big.Rat), n}
}
