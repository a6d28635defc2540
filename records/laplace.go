package records

import (
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// globalOf returns the global sensitivity Δ, or an error if none is known.
func globalOf(q *Query, eps evidence.Epsilon, what string) (*big.Rat, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if q.global == nil {
		return nil, parameter.Errorf("%s has no finite global sensitivity, which %s requires", q.name, what)
	}
	return q.global, nil
}

// NewLaplace returns Laplace noise of scale Δ/ε (Dwork, McSherry, Nissim and Smith 2006), clamped to the range. Δ is
// the global sensitivity. It claims ε.
func NewLaplace(q *Query, eps evidence.Epsilon) (Law, error) {
	delta, err := globalOf(q, eps, "laplace")
	if err != nil {
		return nil, err
	}
	m, err := NewAdded(q, "laplace(eps="+eps.String()+")", interval.Rat(delta).Quo(eps.Enclosure()), laplace{}, mechanism.Claim(eps, "Dwork et al. 2006"),
		func(q *Query) (Law, error) { return NewLaplace(q, eps) })
	if err != nil {
		return nil, err
	}
	m.exact = func(q *continuous.Linear) (continuous.ExactlySampled, error) { return continuous.NewLaplace(q, eps) }
	return m, nil
}

type laplace struct{}

func (laplace) Tail(u interval.Interval) interval.Interval { return u.Neg().Exp().Quo(interval.Int(2)) }

func (laplace) Area(u interval.Interval) interval.Interval {
	return u.Neg().Expm1().Quo(interval.Int(-2))
}

func (laplace) Half() interval.Interval { return interval.Rat(big.NewRat(1, 2)) }

func (laplace) Draw(src rand.Source) float64 {
	r := rand.New(src)
	v := r.ExpFloat64()
	if r.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// lattice returns Σ_{k=1}^n Pr[Z > (k − ½)s].
func (l laplace) lattice(s interval.Interval, n *big.Int) interval.Interval {
	half := s.Quo(interval.Int(2))
	last := s.Mul(interval.Rat(new(big.Rat).SetInt(n)))
	return l.Tail(half).Mul(last.Neg().Expm1()).Quo(s.Neg().Expm1())
}
