package query

import "runtime"

// chunkSize divides size items into chunks that balance well over processors
// and are small enough to stop promptly.
func chunkSize(size int) int {
	return min(max(size/(16*runtime.GOMAXPROCS(0)), 1), 512)
}
