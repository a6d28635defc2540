package program

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomTangle returns bounded draws with forms of arbitrary coefficients, mostly with cycles.
func randomTangle(src *rand.Rand, n int) state {
	s := state{draws: make([]draw, n), prob: fraction{num: whole(big.NewInt(1))}}
	for i := range s.draws {
		s.draws[i] = draw{step: exponent{1 + src.Int64N(2)}, oneSided: src.IntN(4) == 0}
		lo := src.Int64N(5) - 3
		s.spans = append(s.spans, known{form: form{fmt.Sprint(i), []part{{i, 1}}}, span: span{lo, lo + 1 + src.Int64N(3)}})
	}
	seen := make(map[string]bool)
	for range 1 + src.IntN(2*n) {
		var of []part
		for i := range n {
			if k := src.IntN(5) - 2; k != 0 && src.IntN(3) > 0 {
				of = append(of, part{i, k})
			}
		}
		if len(of) < 2 {
			continue
		}
		f, k := formOf(of)
		lo := src.Int64N(7) - 5
		in := span{lo, lo + src.Int64N(8)}.over(int64(k))
		if !seen[f.key] {
			seen[f.key] = true
			s.spans = append(s.spans, known{form: f, span: in})
		}
	}
	return s
}

// Tangles of bounded draws are summed case by case. The result equals the sum over all values exactly, however many
// draws are fixed.
func TestTanglesMatchEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(10, 1))
	r := newRates()
	r.symbol, r.denom = true, []int64{1}
	cuts := make(map[int]int)
	for round := range 150 {
		s := randomTangle(src, 2+round%3)
		want, _ := s.visited(nil)
		if want.Sign() != 0 && !s.possible() {
			t.Fatalf("%+v have weight %v, but possible returns false", s.spans, want)
		}
		cut, ok := r.breakCycles(s, nil)
		if !ok {
			if s.possible() {
				t.Fatalf("breakCycles fails for %+v", s.spans)
			}
			continue
		}
		cuts[len(cut.draws)]++
		if !cut.tail.isZero() || len(cut.at) != len(cut.draws) {
			t.Fatalf("%+v omit %v", cut, cut.tail)
		}
		sum, cases, most := new(big.Rat), 0, 1
		for _, in := range cut.at {
			most *= int(in.hi - in.lo + 1)
		}
		err := cut.each(r, s, func(given state) error {
			cases++
			weight, _, err := r.weigh(given, nil)
			sum.Add(sum, r.field.evaluated(weight, third))
			return err
		})
		if err != nil || sum.Cmp(want) != 0 || cases > most {
			t.Fatalf("%+v sum to %v in %d of %d cases, %v, want %v", s.spans, sum, cases, most, err, want)
		}
	}
	if cuts[0] < 5 || cuts[1] < 10 || cuts[2] < 5 {
		t.Errorf("cases by number of fixed draws: %v", cuts)
	}
	broken := errors.New("broken")
	s := randomTangle(src, 4)
	for !s.possible() || s.worst(make([]bool, 4), nil) < 0 {
		s = randomTangle(src, 4)
	}
	cut, _ := r.breakCycles(s, nil)
	calls := 0
	if err := cut.each(r, s, func(state) error { calls++; return broken }); err != broken || calls != 1 {
		t.Errorf("%v after %d cases, want the first one's error", err, calls)
	}
}

// visited sums a state at z = 1/3 by enumeration. It returns the total weight, and the weight for each value of the
// kept draws.
func (s state) visited(kept []int) (all *big.Rat, at map[string]*big.Rat) {
	z := third[0]
	norm := big.NewRat(1, 1)
	var weights [6][11]int64 // z^{step·k}, multiplied by 9⁵
	for i, d := range s.draws {
		zs := ratPower(z, d.step[0])
		norm.Mul(norm, new(big.Rat).Sub(big.NewRat(1, 1), zs))
		if !d.oneSided {
			norm.Quo(norm, new(big.Rat).Add(big.NewRat(1, 1), zs))
		}
		for k := int64(-5); k <= 5; k++ {
			w := new(big.Rat).Mul(big.NewRat(59049, 1), ratPower(zs, max(k, -k)))
			if d.oneSided && k < 0 {
				w.SetInt64(0)
			}
			weights[i][k+5] = w.Num().Int64()
		}
		norm.Quo(norm, big.NewRat(59049, 1))
	}
	total := new(big.Int)
	sums := make(map[string]*big.Int)
	var x [6]int64
	var visit func(i int, w *big.Int)
	visit = func(i int, w *big.Int) {
		if i < len(s.draws) {
			for x[i] = -5; x[i] <= 5; x[i]++ {
				if n := weights[i][x[i]+5]; n != 0 {
					visit(i+1, new(big.Int).Mul(w, big.NewInt(n)))
				}
			}
			return
		}
		if !s.allows(x[:]) {
			return
		}
		total.Add(total, w)
		var values []int64
		for _, d := range kept {
			values = append(values, x[d])
		}
		key := fmt.Sprint(values)
		if sums[key] == nil {
			sums[key] = new(big.Int)
		}
		sums[key].Add(sums[key], w)
	}
	visit(0, big.NewInt(1))
	at = make(map[string]*big.Rat)
	for key, n := range sums {
		at[key] = new(big.Rat).Mul(norm, new(big.Rat).SetInt(n))
	}
	return norm.Mul(norm, new(big.Rat).SetInt(total)), at
}
