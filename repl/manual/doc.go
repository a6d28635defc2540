// Package manual contains only tests. They check that the manual's examples print what testdata/examples.txt has and
// that their numbers are true, that the pages of the reference are complete, and that the notebooks still print what
// they printed.
package manual
