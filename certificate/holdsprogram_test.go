package certificate_test

import (
	"errors"
	"fmt"
	"math/big"
)

// statedProgram is the statement about a program's laws. A term of a polynomial is a power and a coefficient.
type statedProgram struct {
	Tables []struct {
		Outputs []string
		Rows    []struct {
			Over  [][][2]any
			Under [][2]any
		}
		Datasets []int
	}
	Neighbors   [][2]int
	Denominator int64
	Times       string
	Fails       [][4]string
}

// valueAt returns a polynomial at z.
func valueAt(p [][2]any, z *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, term := range p {
		c := rat(term[1].(string))
		sum.Add(sum, c.Mul(c, powerOf(z, int64(term[0].(float64)))))
	}
	return sum
}

func powerOf(z *big.Rat, k int64) *big.Rat {
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(z.Num(), n, nil), new(big.Int).Exp(z.Denom(), n, nil))
}

// programHolds evaluates the laws at many z, between and beside the ends of the ranges: the worst ratio of each
// place, multiplied.
func programHolds(s statedProgram) error {
	one := big.NewRat(1, 1)
	var at []*big.Rat
	for i := int64(1); i < 60; i++ {
		at = append(at, big.NewRat(i, 60))
	}
	at = append(at, big.NewRat(1, 1<<30), big.NewRat(1<<30-1, 1<<30))
	ends := make([][4]*big.Rat, len(s.Fails))
	for i, f := range s.Fails {
		for j, text := range f {
			end := rat(text)
			ends[i][j] = end
			for _, by := range []*big.Rat{big.NewRat(1, 1<<62), big.NewRat(-1, 1<<62), big.NewRat(1, 1<<20), big.NewRat(-1, 1<<20), new(big.Rat)} {
				at = append(at, new(big.Rat).Add(end, by))
			}
		}
	}
	k := new(big.Rat).Mul(rat(s.Times), new(big.Rat).SetInt64(s.Denominator))
	if !k.IsInt() {
		return errors.New("times is no whole power")
	}
	for _, z := range at {
		if z.Sign() <= 0 || z.Cmp(one) >= 0 {
			continue
		}
		fails, err := s.failsAt(z, powerOf(z, k.Num().Int64()))
		if err != nil {
			return err
		}
		outside := true
		for _, e := range ends {
			outside = outside && (z.Cmp(e[0]) < 0 || z.Cmp(e[3]) > 0)
			if z.Cmp(e[1]) >= 0 && z.Cmp(e[2]) <= 0 && !fails {
				return fmt.Errorf("it is private at z = %v", z)
			}
		}
		if outside && fails {
			return fmt.Errorf("it is not private at z = %v", z)
		}
	}
	return nil
}

// failsAt reports whether some output is too likely at z, where e^{−ε'} is power.
func (s statedProgram) failsAt(z, power *big.Rat) (bool, error) {
	one := big.NewRat(1, 1)
	laws := make([][][]*big.Rat, len(s.Tables)) // by table and dataset
	for i, t := range s.Tables {
		for _, n := range t.Datasets {
			row := t.Rows[n]
			under := valueAt(row.Under, z)
			total := new(big.Rat)
			law := make([]*big.Rat, len(row.Over))
			for j, p := range row.Over {
				law[j] = new(big.Rat).Quo(valueAt(p, z), under)
				if total.Add(total, law[j]); law[j].Sign() < 0 {
					return false, errors.New("a probability is negative")
				}
			}
			if total.Cmp(one) != 0 || len(law) != len(t.Outputs) {
				return false, errors.New("probabilities do not have the sum 1")
			}
			laws[i] = append(laws[i], law)
		}
	}
	for _, pair := range s.Neighbors {
		for _, way := range [][2]int{pair, {pair[1], pair[0]}} {
			worst, infinite := big.NewRat(1, 1), false
			for _, law := range laws {
				most := new(big.Rat)
				for j, p := range law[way[0]] {
					q := law[way[1]][j]
					infinite = infinite || p.Sign() > 0 && q.Sign() == 0
					if q.Sign() > 0 {
						if r := new(big.Rat).Quo(p, q); r.Cmp(most) > 0 {
							most = r
						}
					}
				}
				worst.Mul(worst, most)
			}
			if infinite || worst.Mul(worst, power).Cmp(one) > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}
