package networks

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"
	"dpworkbench/xor"
)

// DPCDOptions are the free choices of DPCD.
type DPCDOptions struct {
	// Sensitivity is Δ: every entry of the noise has scale Δ/ε. 0 means 2.
	Sensitivity float64
	// Fit holds the options of the fit. DPCD sets its field Linear.
	Fit learn.BigclamOptions
}

// DPCD releases communities, not a graph: those of a cluster affiliation model (BIGCLAM) with the term n_u·F_u added to
// the likelihood for every node. The entries of n_u are independent Laplace variables.
//
// Source: footnote 8 of "An XOR Mechanism" and its Section 8.4, which say that it perturbs the objective of community
// detection with such noise. The cited work was not available. The model is the comparison's, and the noise's scale is
// an option. The noise is drawn in float64 and the fit stops before its optimum, so this only simulates the mechanism.
type DPCD struct {
	eps         evidence.Epsilon
	communities int
	DPCDOptions
}

// NewDPCD returns the mechanism. It returns an error wrapping evidence.ErrParameter unless eps is positive, communities
// is at least 1 and the sensitivity is not negative.
func NewDPCD(eps evidence.Epsilon, communities int, opts DPCDOptions) (*DPCD, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if err := parameter.AtLeast("communities", communities, 1); err != nil {
		return nil, err
	}
	if opts.Sensitivity == 0 {
		opts.Sensitivity = 2
	}
	if err := parameter.Positive("sensitivity", opts.Sensitivity); err != nil {
		return nil, err
	}
	return &DPCD{eps, communities, opts}, nil
}

// Name returns the mechanism's name with its options.
func (d *DPCD) Name() string {
	return fmt.Sprintf("DPCD(eps=%s, %d communities)", d.eps, d.communities)
}

// Guarantee returns the published claim.
func (d *DPCD) Guarantee() Guarantee { return promise(d.eps, Edge, "An XOR Mechanism, footnote 8") }

// Communities draws the communities as lists of nodes. It returns an error wrapping evidence.ErrParameter if g is not a
// simple graph, has no edge, or has fewer nodes than communities.
func (d *DPCD) Communities(ctx context.Context, g *xor.Bits, src rand.Source) ([][]int, error) {
	in, err := readGraph(g)
	if err != nil {
		return nil, err
	}
	if d.communities > in.nodes() {
		return nil, parameter.Bad("communities", d.communities, "1 to %d, the number of nodes", in.nodes())
	}
	if err := memory.Need("the noise of all affiliations", 8*float64(in.nodes())*float64(d.communities)); err != nil {
		return nil, err
	}
	r := rand.New(src)
	scale := d.Sensitivity / d.eps.Value()
	fit := d.Fit
	fit.Linear = make([][]float64, in.nodes())
	for u := range fit.Linear {
		fit.Linear[u] = make([]float64, d.communities)
		for c := range fit.Linear[u] {
			fit.Linear[u][c] = scale * (r.ExpFloat64() - r.ExpFloat64())
		}
	}
	b, err := learn.FitBigclam(ctx, g.Rows(), d.communities, fit, src)
	if err != nil {
		return nil, err
	}
	return b.Members(b.Threshold), nil
}
