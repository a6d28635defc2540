package claims

func mvgMutants() map[mutant]checker {
	return map[mutant]checker{}
}
