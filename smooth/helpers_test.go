package smooth

import "math/rand/v2"

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func evidenceSource() rand.Source { return rand.NewPCG(1, 2) }
