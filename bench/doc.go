// Package bench sets the workbench against peers in one run: NumPy for matrix
// noise. Run it with
//
//	go test ./bench -run xxx -bench . -benchtime 5x
//
// A peer that is not installed is left out, and the benchmark says so.
package bench
