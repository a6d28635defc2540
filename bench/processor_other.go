//go:build !unix

package main

// processor is 0: the system does not say.
func processor() float64 { return 0 }
