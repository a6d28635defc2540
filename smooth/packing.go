package smooth

import (
	"errors"
	"math/big"
)

// packing returns the largest Σ x_C with 0 ≤ x_C ≤ times_C and Σ_{C ∋ v} x_C ≤ bound at every
// node v: the simplex method for bounded variables, in rationals, by Bland's rule, which
// ends.
func packing(sets []uint16, times []int, bound *big.Rat) (*big.Rat, error) {
	total := new(big.Rat)
	load := make([]int64, 16)
	for c, s := range sets {
		total.Add(total, big.NewRat(int64(times[c]), 1))
		for v := range load {
			if s>>v&1 != 0 {
				load[v] += int64(times[c])
			}
		}
	}
	var rows []int // the nodes that may be too full
	for v, l := range load {
		if big.NewRat(l, 1).Cmp(bound) > 0 {
			rows = append(rows, v)
		}
	}
	if len(rows) == 0 {
		return total, nil
	}
	n := len(sets)
	cols := n + len(rows)
	t := make([][]*big.Rat, len(rows)+1) // the last row is what the objective gains by each column
	for i := range t {
		t[i] = make([]*big.Rat, cols)
		for j := range t[i] {
			t[i][j] = new(big.Rat)
		}
	}
	value := make([]*big.Rat, len(rows)) // of the basic variables
	basis := make([]int, len(rows))
	most := make([]*big.Rat, cols) // nil where unbounded
	for i, v := range rows {
		for c, s := range sets {
			if s>>v&1 != 0 {
				t[i][c].SetInt64(1)
			}
		}
		t[i][n+i].SetInt64(1)
		basis[i], value[i] = n+i, new(big.Rat).Set(bound)
	}
	last := t[len(rows)]
	for c := range sets {
		last[c].SetInt64(1)
		most[c] = big.NewRat(int64(times[c]), 1)
	}
	full := make([]bool, cols) // not basic, and at its most
	basic := make([]bool, cols)
	for _, j := range basis {
		basic[j] = true
	}
	for range 100000 {
		enter := -1
		for j := range cols {
			if s := last[j].Sign(); !basic[j] && (s > 0 && !full[j] || s < 0 && full[j]) {
				enter = j
				break
			}
		}
		if enter < 0 {
			sum := new(big.Rat)
			for j := range n {
				if full[j] {
					sum.Add(sum, most[j])
				}
			}
			for i, j := range basis {
				if j < n {
					sum.Add(sum, value[i])
				}
			}
			return sum, nil
		}
		up := !full[enter]
		step, leave, toMost := most[enter], -1, false
		for i, j := range basis {
			d := t[i][enter].Sign()
			if !up {
				d = -d
			}
			var room *big.Rat
			hits := false
			switch {
			case d > 0:
				room = new(big.Rat).Quo(value[i], t[i][enter])
			case d < 0 && most[j] != nil:
				room = new(big.Rat).Sub(most[j], value[i])
				room.Quo(room, t[i][enter])
				hits = true
			default:
				continue
			}
			room.Abs(room)
			if step == nil || room.Cmp(step) < 0 || room.Cmp(step) == 0 && leave >= 0 && j < basis[leave] {
				step, leave, toMost = room, i, hits
			}
		}
		if step == nil {
			return nil, errors.New("a packing without bound")
		}
		move := new(big.Rat).Set(step)
		if !up {
			move.Neg(move)
		}
		for i := range basis {
			value[i].Sub(value[i], new(big.Rat).Mul(move, t[i][enter]))
		}
		if leave < 0 {
			full[enter] = up
			continue
		}
		at := new(big.Rat) // where the entering variable goes
		if full[enter] {
			at.Set(most[enter])
		}
		at.Add(at, move)
		out := basis[leave]
		basic[out], full[out] = false, toMost
		basic[enter], full[enter] = true, false
		basis[leave], value[leave] = enter, at
		pivot := new(big.Rat).Inv(t[leave][enter])
		for j := range cols {
			t[leave][j].Mul(t[leave][j], pivot)
		}
		for i := range t {
			if i == leave || t[i][enter].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(t[i][enter])
			for j := range cols {
				if t[leave][j].Sign() != 0 {
					t[i][j].Sub(t[i][j], new(big.Rat).Mul(f, t[leave][j]))
				}
			}
		}
	}
	return nil, errors.New("a packing that does not end")
}
