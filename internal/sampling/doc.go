// Package sampling draws from laws exactly: every outcome has exactly its probability, given a source of
// independent fair bits. It uses no floating point.
//
// A [Number] is a real number that can be enclosed to any precision. A [Law] of computable weights compares the
// digits of a uniform number with its thresholds, and computes more of either only until they differ. A continuous
// variable is a [Real]: a sign, an integer part and the binary digits drawn so far; further digits are still
// undetermined. [Normal] (Karney 2016) and [Exponential] (von Neumann 1951) leave nearly all digits undetermined;
// [Round] and [Floor] draw those that decide.
//
// Discrete laws (Canonne, Kamath and Steinke 2020) are in discrete.go.
//
// Every sampler takes a source of random words. [System] is the operating system's generator, for releases; a
// seeded source is for tests.
package sampling
