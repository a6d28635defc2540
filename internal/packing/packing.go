// Package packing solves fractional packing problems exactly.
package packing

import (
	"context"
	"encoding/binary"
	"errors"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Set is a set of places that occurs Times times.
type Set struct {
	Places []int32
	Times  int64
}

// mostCells bounds the table of the simplex method.
const mostCells = 1 << 17

// Largest returns the largest Σ x_C with 0 ≤ x_C ≤ Times_C and Σ_{C ∋ v} x_C ≤ bound at every place v of 0…places−1. It
// drops places whose constraint cannot be violated, and merges sets that become equal. It returns an error wrapping
// evidence.ErrParameter if the remaining program is too large for the simplex method in rationals.
func Largest(ctx context.Context, sets []Set, places int, bound *big.Rat) (*big.Rat, error) {
	load := make([]int64, places)
	for _, s := range sets {
		for _, v := range s.Places {
			load[v] += s.Times
		}
	}
	row := make([]int, places) // the row of each place, from 1; 0 if its constraint is dropped
	rows := 0
	for v, l := range load {
		if big.NewRat(l, 1).Cmp(bound) > 0 {
			rows++
			row[v] = rows
		}
	}
	free := new(big.Rat)
	var left []Set
	known := make(map[string]int)
	key := make([]byte, 0, 64)
	for _, s := range sets {
		var in []int32
		key = key[:0]
		for _, v := range s.Places {
			if row[v] > 0 {
				in = append(in, int32(row[v]-1))
				key = binary.AppendUvarint(key, uint64(row[v]))
			}
		}
		if len(in) == 0 {
			free.Add(free, big.NewRat(s.Times, 1))
			continue
		}
		i, ok := known[string(key)]
		if !ok {
			i = len(left)
			known[string(key)] = i
			left = append(left, Set{Places: in})
		}
		left[i].Times += s.Times
	}
	if len(left) == 0 {
		return free, nil
	}
	if cells := (rows + 1) * (rows + len(left)); cells > mostCells {
		return nil, parameter.Errorf("bound = %s gives a linear program with %d entries, for %d distinct copies and the %d edges or nodes with more copies than that, want at most %d entries: raise bound", bound.RatString(), cells, len(left), rows, mostCells)
	}
	v, err := simplex(ctx, left, rows, bound)
	if err != nil {
		return nil, err
	}
	return v.Add(v, free), nil
}

// simplex solves the program by the simplex method for bounded variables, in rationals. Bland's rule ensures that it
// ends.
func simplex(ctx context.Context, sets []Set, rows int, bound *big.Rat) (*big.Rat, error) {
	n := len(sets)
	cols := n + rows
	t := make([][]*big.Rat, rows+1) // the last row holds the gain of the objective per column
	for i := range t {
		t[i] = make([]*big.Rat, cols)
		for j := range t[i] {
			t[i][j] = new(big.Rat)
		}
	}
	value := make([]*big.Rat, rows) // values of the basic variables
	basis := make([]int, rows)
	most := make([]*big.Rat, cols) // upper bounds of the variables; nil if unbounded
	for c, s := range sets {
		for _, i := range s.Places {
			t[i][c].SetInt64(1)
		}
	}
	for i := range rows {
		t[i][n+i].SetInt64(1)
		basis[i], value[i] = n+i, new(big.Rat).Set(bound)
	}
	last := t[rows]
	for c := range sets {
		last[c].SetInt64(1)
		most[c] = big.NewRat(sets[c].Times, 1)
	}
	full := make([]bool, cols) // variables that are not basic, and at their upper bounds
	basic := make([]bool, cols)
	for _, j := range basis {
		basic[j] = true
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
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
			return nil, errors.New("packing: no bound")
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
		at := new(big.Rat) // the value of the entering variable
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
}
