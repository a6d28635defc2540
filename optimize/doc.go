// Package optimize chooses mechanisms: it calibrates a family to an exact
// smallest ε.
package optimize
