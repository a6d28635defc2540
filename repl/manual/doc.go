// Package manual contains only tests: the manual's examples print what testdata/examples.txt has, their numbers are
// true, the pages of the reference are complete, and the notebooks print what they printed.
package manual
