package claims

func xorMutants() map[mutant]checker {
	return map[mutant]checker{}
}
