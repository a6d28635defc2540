package continuous

import (
	"math/big"
	"slices"
)

// ladder describes the layers of one residue at count consecutive positions, the first of which is j. A count of 0
// stands for infinitely many. The first layer is level. From one position to the next the layer changes by slope, which
// is −1, 0 or 1.
type ladder struct {
	j, level, slope, count int
}

// ladders splits the function j ↦ L(ρ + jΔ), j ≥ 0, into runs of constant slope.
func ladders(sites []ringSite) (out []ladder) {
	for _, p := range progressions(sites) {
		j := max(p.from, 0)
		switch l := (ladder{j, p.base + p.slope*j, p.slope, p.to - j + 1}); {
		case p.to == farthest:
			l.count = 0
			out = append(out, l)
		case j <= p.to:
			out = append(out, l)
		}
	}
	return out
}

// series is a sequence of integers indexed by layer. It stores their second differences, of which finitely many are not
// 0.
type series struct{ second []big.Int }

func (s *series) at(i int) *big.Int {
	if i >= len(s.second) {
		if i >= cap(s.second) {
			grown := make([]big.Int, i+1, 2*(i+1))
			copy(grown, s.second)
			s.second = grown
		}
		s.second = s.second[:i+1]
	}
	return &s.second[i]
}

// line adds c + slope·(i − from) to every term i ≥ from.
func (s *series) line(from int, c, slope *big.Int) {
	s.at(from + 1)
	v := s.at(from)
	v.Add(v, c)
	v = s.at(from + 1)
	v.Add(v, slope)
	v.Sub(v, c)
}

// ramp adds c + slope·(i − from) to the terms from ≤ i < from + count, and to all terms i ≥ from if count is 0.
func (s *series) ramp(from, count int, c, slope *big.Int) {
	s.line(from, c, slope)
	if count == 0 {
		return
	}
	end := new(big.Int).Mul(slope, big.NewInt(int64(count)))
	end.Add(end, c)
	s.line(from+count, end.Neg(end), new(big.Int).Neg(slope))
}

// spike adds c to the term of layer i alone.
func (s *series) spike(i int, c *big.Int) { s.ramp(i, 1, c, new(big.Int)) }

// term returns the term of layer i ≥ 0: Σ_{j ≤ i} (i − j + 1) times the second difference at j.
func (s *series) term(i int) *big.Int {
	out, n := new(big.Int), new(big.Int)
	for j := range s.second[:min(len(s.second)-1, i)+1] {
		n.SetInt64(int64(i - j)) // i − j + 1 may overflow int
		n.Add(n, one)
		out.Add(out, n.Mul(n, &s.second[j]))
	}
	return out
}

var one = big.NewInt(1)

// values returns the first n terms.
func (s *series) values(n int) []*big.Int {
	out := make([]*big.Int, n)
	slope, value := new(big.Int), new(big.Int)
	for i := range out {
		if i < len(s.second) {
			slope.Add(slope, &s.second[i])
		}
		value.Add(value, slope)
		out[i] = new(big.Int).Set(value)
	}
	return out
}

// trim drops trailing zeros. The series is linear after the remaining differences.
func (s *series) trim() {
	n := len(s.second)
	for n > 0 && s.second[n-1].Sign() == 0 {
		n--
	}
	s.second = s.second[:n]
}

// equal reports whether two trimmed series are the same.
func (s series) equal(t series) bool {
	return slices.EqualFunc(s.second, t.second, func(a, b big.Int) bool { return a.Cmp(&b) == 0 })
}

// profile returns the weight and the first absolute moment of every layer, over the whole line. If counting is true, a
// point has weight 1, and the unit of moments is a grid unit. Otherwise a gap's weight is its length, and the unit of
// moments is half a squared grid unit.
func profile(nodes []ringNode[*big.Int], all [][2][]ladder, length *big.Int, counting bool) (weights, moments series) {
	two := big.NewInt(2)
	add := func(steps []ladder, weight, place *big.Int) {
		// weight·(place + jΔ) is the first moment at position j, where place
		// and step are in the unit of moments.
		step := length
		if !counting {
			step = new(big.Int).Mul(length, two)
		}
		rise := new(big.Int).Mul(weight, step)
		moment, n, fall := new(big.Int), new(big.Int), new(big.Int).Neg(rise)
		zero := new(big.Int)
		for _, l := range steps {
			moment.Mul(step, n.SetInt64(int64(l.j)))
			moment.Add(moment, place)
			moment.Mul(moment, weight)
			switch l.slope {
			case 1:
				weights.ramp(l.level, l.count, weight, zero)
				moments.ramp(l.level, l.count, moment, rise)
			case -1: // in the order of layers the positions descend
				weights.ramp(l.level-l.count+1, l.count, weight, zero)
				moment.Add(moment, n.Mul(rise, n.SetInt64(int64(l.count-1))))
				moments.ramp(l.level-l.count+1, l.count, moment, fall)
			case 0:
				weights.spike(l.level, n.Mul(weight, n.SetInt64(int64(l.count))))
				// The moment of the whole run is moment·count + rise·count(count−1)/2.
				moment.Mul(moment, n.SetInt64(int64(l.count)))
				n.Mul(n, big.NewInt(int64(l.count-1)))
				n.Rsh(n, 1)
				moments.spike(l.level, moment.Add(moment, n.Mul(n, rise)))
			}
		}
	}
	for i, n := range nodes {
		if counting {
			add(all[i][0], two, n.at) // r and −r
			continue
		}
		next := gapEnd(nodes, i, length)
		width := new(big.Int).Sub(next, n.at)
		add(all[i][1], width.Mul(width, two), new(big.Int).Add(n.at, next))
	}
	if counting { // 0 is its own mirror image
		weights.spike(0, big.NewInt(-1))
	}
	weights.trim()
	moments.trim()
	return weights, moments
}
