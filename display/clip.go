package display

// spot is a position in fractions of the axes, within [0, 1] if it is on the plot.
type spot struct{ x, y float64 }

func (s spot) within() bool { return s.x >= 0 && s.x <= 1 && s.y >= 0 && s.y <= 1 }

// pieces clips a line at the edges of the plot, and returns the parts inside, in order.
func pieces(line []spot) [][]spot {
	var out [][]spot
	open := false // whether the last piece continues
	for i, p := range line {
		if i == 0 {
			if open = p.within(); open {
				out = append(out, []spot{p})
			}
			continue
		}
		from, to, ok := cutSegment(line[i-1], p)
		switch {
		case !ok:
			open = false
			continue
		case !open:
			out = append(out, []spot{from})
		}
		out[len(out)-1] = append(out[len(out)-1], to)
		open = p.within()
	}
	return out
}

// cutSegment returns the part of a segment on the plot (Liang and Barsky's algorithm), with the same ends if these
// are inside.
func cutSegment(a, b spot) (from, to spot, ok bool) {
	if a.within() && b.within() {
		return a, b, true
	}
	t0, t1 := 0.0, 1.0
	dx, dy := b.x-a.x, b.y-a.y
	for _, edge := range [][2]float64{{-dx, a.x}, {dx, 1 - a.x}, {-dy, a.y}, {dy, 1 - a.y}} {
		toward, room := edge[0], edge[1]
		switch {
		case toward == 0 && room < 0:
			return a, b, false
		case toward < 0:
			t0 = max(t0, room/toward)
		case toward > 0:
			t1 = min(t1, room/toward)
		}
	}
	if !(t0 <= t1) {
		return a, b, false
	}
	at := func(t float64, end spot) spot {
		if end.within() && (t == 0 || t == 1) {
			return end
		}
		return spot{min(max(a.x+t*dx, 0), 1), min(max(a.y+t*dy, 0), 1)}
	}
	return at(t0, a), at(t1, b), true
}

// cutArea cuts a closed area at the edges of the plot, one after the other (Sutherland
// and Hodgman's way).
func cutArea(area []spot) []spot {
	edges := []func(s spot) float64{
		func(s spot) float64 { return s.x }, func(s spot) float64 { return 1 - s.x },
		func(s spot) float64 { return s.y }, func(s spot) float64 { return 1 - s.y },
	}
	for _, room := range edges {
		var kept []spot
		for i, p := range area {
			last := area[(i+len(area)-1)%len(area)]
			before, now := room(last), room(p)
			if (before < 0) != (now < 0) {
				t := before / (before - now)
				kept = append(kept, spot{last.x + t*(p.x-last.x), last.y + t*(p.y-last.y)})
			}
			if now >= 0 {
				kept = append(kept, p)
			}
		}
		area = kept
	}
	return area
}
