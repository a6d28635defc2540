//go:build !amd64

package signrp

func allWithin(u []float64) bool { return allWithinGo(u) }

func gather(x, u []float64, from []uint32, weight []float64, _, _ []float64) {
	gatherGo(0, x, u, from, weight)
}

func stream(x, u []float64, from []uint32, weight []float64, _ []float64) {
	clear(x)
	gatherGo(0, x, u, from, weight)
}

func fromBytes(u []float64, data []byte) { fromBytesGo(u, data) }
