// Package sampling draws from laws exactly: no outcome's probability is off by
// anything, given a source of independent fair bits. No floating point takes part.
//
// Two ideas carry it. A [Number] is a real number that can be enclosed as closely as
// anyone asks; an [Law] of computable weights compares the digits of a uniform number
// with its thresholds, and asks for more of either only until they differ. And a
// continuous variable is a [Real]: a sign, a whole part and the binary digits drawn so
// far, those behind still free. [Normal] (Karney 2016) and [Exponential] (von Neumann
// 1951) leave nearly all of them free; [Round] and [Floor] draw what decides.
//
// Discrete laws (Canonne, Kamath and Steinke 2020) are in discrete.go.
//
// Every sampler takes a source of random words. [System] is the operating system's
// generator, for releases; a seeded source is for tests.
package sampling
