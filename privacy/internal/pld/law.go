package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// Law bounds the PMF of a privacy loss under P on the grid Offset + (First + j)·Step. In every composition, replacing
// the loss by a pessimistic law does not decrease any hockey-stick divergence, and replacing it by an optimistic law
// does not increase one.
type Law struct {
	Step, Offset float64
	First        int64
	// Log holds the logarithms of masses, or −∞ for no mass: upper bounds in a pessimistic law, lower bounds in an
	// optimistic one.
	Log []float64
	// Infinity bounds the infinity mass from above (pessimistic) or from below (optimistic).
	Infinity float64
	// Tail is the logarithm of a bound on E[e^{Theta·loss}] over the finite losses that a pessimistic law does not
	// list, or −∞ if there are none. A law with a tail can only be tilted by Theta.
	Tail, Theta float64
}

// at returns the loss of entry j, with an error of at most u(2|n·Step| + |Offset|)(1 + u).
func (l *Law) at(j int) float64 {
	n := float64(l.First + int64(j))
	return l.Offset + float64(n*l.Step)
}

// moments returns approximations, not bounds, of ln E e^{θL}, and of the mean and the variance of the tilted law.
func (l *Law) moments(theta float64) (k, mean, variance float64) { return l.momentsAt(theta, l.at) }

func (l *Law) momentsAt(theta float64, at func(j int) float64) (k, mean, variance float64) {
	top := math.Inf(-1)
	for j, p := range l.Log {
		top = max(top, p+theta*at(j))
	}
	if math.IsInf(top, -1) {
		return top, 0, 0
	}
	sum, first, second := 0.0, 0.0, 0.0
	for j, p := range l.Log {
		x := at(j)
		e := p + theta*x - top
		if e < -60 {
			continue
		}
		w := math.Exp(e)
		sum, first, second = sum+w, first+w*x, second+w*x*x
	}
	mean = first / sum
	return top + math.Log(sum), mean, max(second/sum-mean*mean, 0)
}

// tilted holds the masses e^{θl − c}p of a law with losses l and masses p.
type tilted struct {
	law      *Law
	mass     []float64 // bounds from above or below, as in the law
	c        float64
	sum      float64 // an upper bound on the sum of mass
	tail     float64 // a bound on the mass that is not listed
	err      float64 // relative error of a mass
	mean, sd float64
	furthest float64 // the largest |loss|
}

// leastMass is the least tilted mass that is kept.
const leastMass = 0x1p-960

// tilt returns the law tilted by theta. The exponent ln p + θl − c has an error of at most u(2|ln p| + θ(5|n·Step| +
// 4|Offset|) + |c|)(1 + 8u), and Exp adds 2u.
func (l *Law) tilt(theta float64, pessimistic bool) *tilted {
	k, mean, variance := l.moments(theta)
	t := &tilted{law: l, mass: make([]float64, len(l.Log)), c: k, mean: mean, sd: math.Sqrt(variance)}
	if math.IsInf(k, -1) {
		t.c = 0
	} else if math.IsNaN(k) { // all masses underflowed
		return &tilted{law: l, mass: t.mass, err: math.Inf(1)}
	}
	dropped, sum := 0, 0.0
	for j, p := range l.Log {
		if math.IsInf(p, -1) {
			continue
		}
		x := l.at(j)
		size := math.Abs(float64(l.First+int64(j))*l.Step) + math.Abs(l.Offset)
		t.furthest = max(t.furthest, size)
		err := 6 * u * (math.Abs(p) + theta*size + math.Abs(t.c) + 1)
		m := elementary.Exp(p + float64(theta*x) - t.c)
		if m < leastMass {
			dropped++
			continue
		}
		t.err = max(t.err, err)
		if pessimistic {
			m += m * (err + 4*u)
		} else {
			m -= m * (err + 4*u)
		}
		t.mass[j] = m
		sum += m
	}
	t.sum = sum * (1 + float64(len(l.Log)+2)*u)
	if pessimistic {
		t.tail = float64(dropped) * 2 * leastMass
		if l.Tail > math.Inf(-1) {
			t.tail += math.Exp(l.Tail-t.c) * (1 + 1e-9)
		}
	}
	return t
}

// logMoment returns an upper bound of ln Σ m e^{s(l − center)} over the tilted masses m.
func (t *tilted) logMoment(s, center float64) float64 {
	sum := 0.0
	top := math.Inf(-1)
	for j, m := range t.mass {
		if m > 0 {
			top = max(top, s*(t.law.at(j)-center))
		}
	}
	for j, m := range t.mass {
		if m > 0 {
			e := s*(t.law.at(j)-center) - top
			if e > -700 {
				sum += m * elementary.Exp(e)
			} else {
				sum += m * 0x1p-1000
			}
		}
	}
	if !(sum > 0) {
		return math.Inf(-1)
	}
	size := math.Abs(s) * (4*t.furthest + 4*math.Abs(center))
	return top + elementary.Log(sum) + u*(float64(len(t.mass))+20+size+6*math.Abs(top))*(1+1e-9)
}
