//go:build !unix

package main

// processor returns 0, because the system does not report processor time.
func processor() float64 { return 0 }
