package stattest

// A Spelled is a source of random words that says what it is told: the words, and then Tail without end.
type Spelled struct {
	Words []uint64
	Tail  uint64
	Taken int // how many words were drawn
}

// Uint64 returns the next word.
func (s *Spelled) Uint64() uint64 {
	s.Taken++
	if s.Taken <= len(s.Words) {
		return s.Words[s.Taken-1]
	}
	return s.Tail
}
