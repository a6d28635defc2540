package pld

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/internal/elementary"
)

// Sum bounds the law of the sum of independent losses, tilted by θ: the masses
// e^{θl − C}p at the losses start + n·step.
type Sum struct {
	pessimistic bool
	theta, step float64
	start       *big.Float // exact
	c           *big.Float // C, exact
	mass        []float64  // cyclic indices; rounding errors have both signs
	err         float64    // bounds the Euclidean norm of the errors of mass
	beyond      float64    // mass outside of the window, and mass that the laws do not list
	infinity    float64
	once, both  [block]float64 // e^{−θ·step·i} and e^{−(1+θ)·step·i}
}

// block is the number of weights computed from one exponential and a table.
const block = 64

// ErrTooFine is returned for a grid that needs too long a transform.
var ErrTooFine = errors.New("grid too fine")

// errImprecise is returned for a tilted law whose masses are too inaccurate.
var errImprecise = errors.New("losses too large")

// tailMass bounds the mass of a tilted sum outside of its window.
const tailMass = 1e-13

// Compose returns an upper bound of the law of the sum of all losses from the pessimistic laws, and a lower bound from
// the optimistic laws. Law i is used times[i] times. All laws are on grids with one step. The sums are tilted by theta
// > 0. It returns ErrTooFine if a window needs more than 2^23 points, errImprecise if losses are too large for float64,
// and the context's error.
func Compose(ctx context.Context, upper, lower []*Law, times []int, theta float64) (above, below *Sum, err error) {
	sums := [2]*composition{newComposition(upper, times, theta, true), newComposition(lower, times, theta, false)}
	length := 0.0
	for _, s := range sums {
		length = max(length, s.length)
		for _, t := range s.parts {
			if !(t.err < 1e-3) {
				return nil, nil, errImprecise
			}
		}
	}
	if !(length < 1<<mostLevels) {
		return nil, nil, ErrTooFine
	}
	// One complex transform computes both sums: its real part is one sum, and its imaginary part the other.
	levels := max(bits.Len(uint(length)), 1)
	n := 1 << levels
	rounding := transformError(levels)
	for i := range times {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		x := make([]complex128, n)
		for j, m := range sums[0].parts[i].mass {
			x[j&(n-1)] += complex(m, 0)
		}
		for j, m := range sums[1].parts[i].mass {
			x[j&(n-1)] += complex(0, m)
		}
		folded := float64(max(len(sums[0].parts[i].mass), len(sums[1].parts[i].mass))/n+2) * u // relative error of each number
		off := (rounding + 2*u + folded*(1+rounding)) * euclidean(x) * math.Sqrt(float64(n))
		forward(x)
		split(x)
		for k, s := range sums {
			s.multiply(x[k*n/2:(k+1)*n/2], i, off)
		}
	}
	x := make([]complex128, n)
	copy(x, sums[0].all)
	copy(x[n/2:], sums[1].all)
	join(x)
	norm := euclidean(x)
	backward(x)
	for k, s := range sums {
		s.err = ((s.off+(rounding+2*u)*norm)/math.Sqrt(float64(n)))*(1+1e-9) + 1e-280
		s.mass = make([]float64, n)
		scale := 1 / float64(n)
		shift := int(math.Mod(math.Mod(s.first, float64(n))+float64(n), float64(n)))
		for j := range s.mass {
			v := x[(j+shift)&(n-1)]
			if k == 0 {
				s.mass[j] = real(v) * scale
			} else {
				s.mass[j] = imag(v) * scale
			}
		}
	}
	return &sums[0].Sum, &sums[1].Sum, nil
}

// split turns the transform of a + ib for real a and b, in bit-reversed order, into one half of the transform of a and
// one half of that of b. The omitted halves are complex conjugates. The frequencies f and −f are at 2^k + j and 2^{k+1}
// − 1 − j. The frequencies 0 and n/2, where the transforms are real, are at 0 and 1.
func split(x []complex128) {
	n := len(x)
	a, b := make([]complex128, n/2), make([]complex128, n/2)
	a[0], b[0] = complex(real(x[0]), real(x[1])), complex(imag(x[0]), imag(x[1]))
	at := 1
	for k := 2; k < n; k *= 2 {
		for j := range k / 2 {
			y, z := x[k+j], x[2*k-1-j]
			a[at] = complex((real(y)+real(z))/2, (imag(y)-imag(z))/2)
			b[at] = complex((imag(y)+imag(z))/2, (real(z)-real(y))/2)
			at++
		}
	}
	copy(x, a)
	copy(x[n/2:], b)
}

// join inverts split.
func join(x []complex128) {
	n := len(x)
	a, b := slices.Clone(x[:n/2]), slices.Clone(x[n/2:])
	x[0], x[1] = complex(real(a[0]), real(b[0])), complex(imag(a[0]), imag(b[0]))
	at := 1
	for k := 2; k < n; k *= 2 {
		for j := range k / 2 {
			v, w := a[at], b[at]
			x[k+j] = complex(real(v)-imag(w), imag(v)+real(w))
			x[2*k-1-j] = complex(real(v)+imag(w), real(w)-imag(v))
			at++
		}
	}
}

// composition is a sum under construction.
type composition struct {
	Sum
	parts         []*tilted
	times         []int
	length, first float64
	all           []complex128 // half of the product of the transforms, in the form of split
	off, top      float64      // bounds of the error of all, and of the size of its numbers
}

func newComposition(laws []*Law, times []int, theta float64, pessimistic bool) *composition {
	s := &composition{Sum: Sum{pessimistic: pessimistic, theta: theta, step: laws[0].Step, start: exact(0), c: exact(0)}, times: times}
	for i := range block {
		x := float64(i) * s.step
		s.once[i], s.both[i] = elementary.Exp(-theta*x), elementary.Exp(-(1+theta)*x)
	}
	mean, variance, none := 0.0, 0.0, 0.0
	for i, law := range laws {
		t := law.tilt(theta, pessimistic)
		s.parts = append(s.parts, t)
		k := float64(times[i])
		mean += k * t.mean
		variance += k * t.sd * t.sd
		s.c.Add(s.c, product(k, t.c))
		s.start.Add(s.start, product(k, law.Offset))
		s.start.Add(s.start, new(big.Float).SetPrec(exactBits).Mul(product(k, float64(law.First)), exact(s.step)))
		none += k * log1p(-min(law.Infinity, 1))
	}
	s.infinity = infinityOf(none, pessimistic)
	// The sums in which some use has an unlisted loss have at most the share Σ kτ of all tilted mass, where τ is the
	// unlisted share of one of k uses.
	whole, unlisted := 1.0, 0.0
	for i, t := range s.parts {
		k, all := float64(times[i]), t.sum+t.tail
		if all == 0 { // all losses are infinite
			whole = 0
			continue
		}
		whole *= elementary.Exp(k*elementary.Log(all)) * (1 + 1e-9)
		unlisted += k * t.tail / all
	}
	sd := math.Sqrt(variance)
	low, below := s.window(mean, sd, -1)
	high, above := s.window(mean, sd, 1)
	s.beyond = above + whole*unlisted*(1+1e-9)
	if !pessimistic { // mass below the window may wrap around and is subtracted
		s.beyond += below
	}
	start, _ := s.start.Float64()
	s.first = math.Floor((low - start) / s.step)
	s.length = (high-low)/s.step + 3
	if math.Abs(s.first) > 1<<52 {
		s.length = math.Inf(1)
	}
	s.start.Add(s.start, product(s.first, s.step))
	return s
}

// multiply raises x, the transform of the i-th law, to the power of its uses and multiplies the product so far by it.
// off bounds the error of x in the Euclidean norm.
func (s *composition) multiply(x []complex128, i int, off float64) {
	k := float64(s.times[i])
	most := s.parts[i].sum + off
	power(x, s.times[i])
	powered := elementary.Exp((k-1)*elementary.Log(most)) * (1 + 1e-9)
	off = (k*powered*off + expm1(k*math.Sqrt(5)*u)*math.Sqrt2*euclidean(x)) * (1 + 1e-9)
	powered *= most
	if s.all == nil {
		s.all, s.off, s.top = slices.Clone(x), off, powered
		return
	}
	s.all[0] = complex(real(s.all[0])*real(x[0]), imag(s.all[0])*imag(x[0]))
	for f, v := range x[1:] {
		s.all[f+1] = times(s.all[f+1], v)
	}
	s.off = (s.off*(powered+off) + s.top*off + 3*u*math.Sqrt2*euclidean(s.all)) * (1 + 1e-9)
	s.top *= powered
}

// power replaces every number by its k-th power. The parts of the first number are two separate real numbers.
func power(x []complex128, k int) {
	first := [2]float64{real(x[0]), imag(x[0])}
	for j, v := range x {
		x[j] = integerPower(v, k)
	}
	for i, v := range first {
		out := v
		for bit := bits.Len(uint(k)) - 2; bit >= 0; bit-- {
			out *= out
			if k>>bit&1 == 1 {
				out *= v
			}
		}
		first[i] = out
	}
	x[0] = complex(first[0], first[1])
}

// euclidean returns an upper bound of the Euclidean norm.
func euclidean(x []complex128) float64 {
	sum := 0.0
	for _, v := range x {
		sum += real(v)*real(v) + imag(v)*imag(v)
	}
	return math.Sqrt(sum) * (1 + float64(len(x)+8)*u)
}

// window returns a loss end on one side of the mean, and an upper bound of the mass of the tilted sum beyond it:
// tailMass, by Chernoff's bound, or 0.
func (s *composition) window(mean, sd float64, side float64) (end, mass float64) {
	furthest := 4 * s.step
	size := math.Abs(mean)
	for i, t := range s.parts {
		k := float64(s.times[i])
		far := t.law.at(len(t.mass) - 1)
		if side < 0 {
			far = -t.law.at(0)
		}
		furthest += k * far
		size += k * (t.furthest + math.Abs(t.mean))
	}
	furthest += 8 * u * size
	// The sum exceeds end with probability at most e^{κ(s) − s·end}, where κ is the logarithm of its moment-generating
	// function.
	moment := func(by float64) float64 {
		sum := 8 * u * by * size
		for i, t := range s.parts {
			sum += float64(s.times[i]) * (t.logMoment(side*by, t.mean) + by*side*t.mean)
		}
		return sum
	}
	depth := -math.Log(tailMass)
	best, by := math.Inf(1), 8/max(sd, s.step)
	for range 48 { // by decreases to 1e-8 of its first value
		k := moment(by)
		if math.IsInf(k, -1) { // all losses are infinite
			return side * furthest, 0
		}
		if e := (k*(1+1e-12) + depth) / by; e < best {
			best = e
		} else if best < math.Inf(1) {
			break
		}
		by /= 1.5
	}
	best += 1e-12 * math.Abs(best)
	if best >= furthest {
		return side * furthest, 0
	}
	return side * best, tailMass * (1 + 1e-9)
}

const exactBits = 256

func exact(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }

func product(x, y float64) *big.Float {
	return new(big.Float).SetPrec(exactBits).Mul(exact(x), exact(y))
}

// LogDelta returns a bound of ln δ(ε) of the sum, where δ is the hockey-stick divergence of order e^ε. It is an upper
// bound for a pessimistic sum and a lower bound for an optimistic sum.
//
// δ(ε) is the infinity mass plus e^{C − θε} Σ w(l − ε) m over the losses l > ε with masses m, where w(x) = (1 −
// e^{−x})e^{−θx} ≤ θ^θ/(1 + θ)^{1+θ}.
func (s *Sum) LogDelta(eps float64) float64 {
	gap := new(big.Float).SetPrec(exactBits).Sub(exact(eps), s.start)
	far, _ := gap.Float64()
	first := max(math.Floor(far/s.step)-1, 0)
	sum, size, square, spans := 0.0, 0.0, 0.0, 0
	n := len(s.mass)
	span, above := 1, first+3 // terms up to ε are summed one by one
	for ; first < float64(n); first += float64(span) {
		if first == above {
			span = block
		}
		j := int(first)
		x, _ := new(big.Float).SetPrec(exactBits).Sub(product(first, s.step), gap).Float64()
		once, both := elementary.Exp(-s.theta*x), elementary.Exp(-(1+s.theta)*x)
		part := 0.0
		for i, m := range s.mass[j:min(j+span, n)] {
			w, most := 0.0, 1.0
			if x+float64(float64(i)*s.step) > 0 {
				most = once * s.once[i]
				w = most - float64(both*s.both[i])
			}
			part += float64(w * m)
			size += most * math.Abs(m)
			square += w * w
		}
		sum += part
		spans++
	}
	// A weight is the difference of two numbers of at most most, which is 1 next to ε. Each has a relative error of
	// 14u, plus u times its exponent and u times the exponent of the table. Next to ε the sign of x decides, and x has
	// an error of 4u of the window. A sum of blocks has an error of u for each number of a block and for each block.
	off := (32 + 4*(1+s.theta)*(float64(n)*s.step)) * u
	err := (off+float64(block+spans+8)*u)*size*(1+1e-9) + math.Sqrt(square)*(1+1e-9)*s.err
	err += largestWeight(s.theta) * s.beyond
	exponent, _ := new(big.Float).SetPrec(exactBits).Sub(s.c, product(s.theta, eps)).Float64()
	side := 1.0
	if !s.pessimistic {
		side = -1
	}
	out := math.Inf(-1)
	if sum += side * err; sum > 0 {
		log := elementary.Log(sum)
		out = exponent + log + side*1e-15*(8+math.Abs(exponent)+math.Abs(log))
	}
	return withInfinity(out, s.infinity, side)
}

// infinityOf returns a bound of the infinity mass. none is the logarithm of the probability that no loss is infinite.
func infinityOf(none float64, pessimistic bool) float64 {
	infinity := 0.0
	if none != 0 { // the infinity mass is 1 − Π(1 − mass)^k
		infinity = -expm1(none) * (1 - 1e-12)
		if pessimistic {
			infinity = min(infinity*(1+3e-12), 1)
		}
	}
	return infinity
}

// largestWeight returns an upper bound of max (1 − e^{−x})e^{−θx} = θ^θ/(1 + θ)^{1 + θ}.
func largestWeight(theta float64) float64 {
	return math.Exp(theta*math.Log(theta/(1+theta))) / (1 + theta) * (1 + 1e-12)
}

// withInfinity returns an upper (side 1) or lower (side −1) bound of ln(e^log + infinity).
func withInfinity(log, infinity, side float64) float64 {
	if infinity > 0 { // the larger logarithm plus ln(1 + e^{−distance}), with an error of 8u
		other := elementary.Log(infinity)
		top, low := max(log, other), min(log, other)
		log = top + log1p(elementary.Exp(low-top)) + side*1e-15*(8+math.Abs(top))
	}
	return min(log, 0)
}
