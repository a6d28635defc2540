package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// rule is how a release makes numbers or signs private.
type rule int

const (
	numbers          rule = iota // x + N(0, σ²)
	randomizedSigns              // sign(x_j), flipped with probability 1/(e^{ε'}+1)
	smoothSigns                  // sign(x_j), flipped with probability 1/(e^{L_j ε'}+1)
	noisySigns                   // sign(x_j + N(0, σ²))
	individualRR                 // Algorithm 8
	individualNormal             // Algorithm 6
)

// Noise chooses how signs are made private.
type Noise string

// Randomised response flips signs; Gaussian noise is added before the sign is
// taken.
const (
	RandomizedResponse Noise = "rr"
	GaussianNoise      Noise = "gaussian"
)

// Release is a private version of a vector's projection. It is immutable.
type Release struct {
	name  string
	rule  rule
	w     *Projection // nil for raw data
	p     int
	eps   evidence.Epsilon
	delta evidence.Delta // 0 if none was given
	beta  float64

	sensitivity evidence.Number    // of numbers and noisySigns
	sigma       evidence.Certified // likewise
	mu          float64            // the largest ratio Δ/σ of sensitivity and noise, for individualNormal
	classic     bool               // σ is that of Theorem 3.1
}

// RPOptions describe the neighbors for NewRP, NewClassicRP and NewRaw.
type RPOptions struct {
	Beta float64 // how far a neighbor may move a coordinate
}

// NewRP returns DP-RP-G-OPT. Its name is DP-RP-G-OPT-B (Algorithm 9) if W is Rademacher, and DP-OPORP (Algorithm 10) if
// W is OPORP. It releases x + N(0, σ²I) with the σ of the analytic Gaussian mechanism at the sensitivity of W.
//
// It returns an error wrapping evidence.ErrParameter unless ε and β are positive and finite and 0 < δ < 1, or ctx's
// error if it ends before W is measured.
func NewRP(ctx context.Context, w *Projection, eps evidence.Epsilon, delta evidence.Delta, o RPOptions) (*Release, error) {
	name := "DP-RP-G-OPT"
	switch w.kind {
	case Rademacher:
		name = "DP-RP-G-OPT-B"
	case OPORP:
		name = "DP-OPORP"
	}
	r := &Release{name: name, rule: numbers, w: w, p: w.p, eps: eps, delta: delta, beta: o.Beta}
	return r.withSigma(ctx)
}

// NewClassicRP returns DP-RP-G: NewRP with σ = Δ₂√(2(ln(1/2δ) + ε))/ε instead of the least σ (Theorem 3.1, the
// condition of Kenthapadi et al. 2013). Errors are those of NewRP; δ must be below 1/2.
func NewClassicRP(ctx context.Context, w *Projection, eps evidence.Epsilon, delta evidence.Delta, o RPOptions) (*Release, error) {
	r, err := NewRP(ctx, w, eps, delta, o)
	if err != nil {
		return nil, err
	}
	if delta.Rat().Cmp(big.NewRat(1, 2)) >= 0 {
		return nil, parameter.Bad("delta", delta, "0 < delta < 1/2")
	}
	e, two := eps.Enclosure(), interval.Int(2)
	factor := two.Mul(e.Sub(two.Mul(delta.Enclosure()).Log())).Sqrt().Quo(e)
	sigma := evidence.WithSide(evidence.Enclosed(evidence.Enclosure(r.sensitivity).Mul(factor), "256-bit outward rounding", Paper+", Theorem 3.1"), evidence.Up)
	if math.IsInf(sigma.Hi, 1) {
		return nil, parameter.Bad("eps", eps.Value(), "an eps large enough that sigma does not overflow float64")
	}
	r.name, r.sigma, r.classic = strings.Replace(r.name, "-OPT", "", 1), sigma, true
	return r, nil
}

// NewRaw returns Raw-data-G-OPT (Theorem C.1): u + N(0, σ²I). Errors are those of NewRP; p must also be positive.
func NewRaw(p int, eps evidence.Epsilon, delta evidence.Delta, o RPOptions) (*Release, error) {
	if err := checkShape(p, 1); err != nil {
		return nil, err
	}
	r := &Release{name: "Raw-data-G-OPT", rule: numbers, p: p, eps: eps, delta: delta, beta: o.Beta}
	return r.withSigma(context.Background()) // there is no W
}

// SignOptions are the choices of NewSignRP and NewIndividual.
type SignOptions struct {
	Noise Noise
	// Delta is the δ of Gaussian noise. For NewSignRP's randomised response without smoothing it selects Proposition
	// 4.4: ε' = ε/N₊, with N₊ from the private ‖u‖. If Delta is 0, N₊ = k.
	Delta     evidence.Delta
	Beta      float64 // how far a neighbor may move a coordinate
	Smoothing bool    // DP-SignRP-RR-smooth, of NewSignRP alone
}

// NewSignRP returns DP-SignRP-RR (docs/signrp.md, Algorithm 3), its smooth variant (Algorithm 4) or DP-SignRP-G. For
// OPORP these are the SignOPORP variants, where one coordinate reaches one bin, so that ε' = ε.
//
// The smooth variant takes no δ, because Theorem 4.6 and Algorithm 4 have no δ, and N₊ cannot introduce a δ. N₊ bounds
// the number of signs that a move can flip. But for Rademacher W a move by β changes every |w_jᵀu| by β, hence every
// level L_j and the law of every sign.
//
// It returns an error wrapping evidence.ErrParameter for an unknown noise, ε or β not positive and finite, δ outside
// (0, 1) if it is given or needed, and smoothing with Gaussian noise or with δ. It returns ctx's error if it ends
// before W is measured.
func NewSignRP(ctx context.Context, w *Projection, eps evidence.Epsilon, o SignOptions) (*Release, error) {
	r, err := newSigns("DP-Sign", w, eps, o)
	if err != nil {
		return nil, err
	}
	switch o.Noise {
	case GaussianNoise:
		if o.Smoothing {
			return nil, parameter.Errorf("smoothing = true, want false with Gaussian noise")
		}
		r.name, r.rule = r.name+"-G", noisySigns
		return r.withSigma(ctx)
	case RandomizedResponse:
		if !o.Delta.IsZero() && o.Smoothing {
			return nil, parameter.Bad("delta", o.Delta, "none with smoothing: N₊ bounds how many signs flip, but a neighbor may change the level L_j of every coordinate")
		}
		if least := float64(w.p) * 0x1p-53; o.Smoothing && o.Beta < least {
			return nil, parameter.Bad("beta", o.Beta, "at least %.3g for smoothing with %d coordinates", least, w.p)
		}
		r.name, r.rule = r.name+"-RR", randomizedSigns
		if o.Smoothing {
			r.name, r.rule = r.name+"-smooth", smoothSigns
		}
		return r, nil
	}
	return nil, parameter.Bad("noise", o.Noise, `"rr" or "gaussian"`)
}

// newSigns returns the common part of releases of signs.
func newSigns(family string, w *Projection, eps evidence.Epsilon, o SignOptions) (*Release, error) {
	if err := cmp.Or(eps.Positive("eps"), parameter.Positive("beta", o.Beta)); err != nil {
		return nil, err
	}
	name := family + "RP"
	if w.kind == OPORP {
		name = family + "OPORP"
	}
	return &Release{name: name, w: w, p: w.p, eps: eps, delta: o.Delta, beta: o.Beta}, nil
}

// NewIndividual returns iDP-SignRP-G (Algorithm 6) or iDP-SignRP-RR (Algorithm 8): only the signs in A(u) = {j : |Wᵀ_j
// u| ≤ β max_i |W_ij|} (Algorithm 7) are made private. The release is not differentially private, and its label says
// so: see [IndividualLabel]. It may not have the claimed individual privacy either, because A depends on the data.
//
// It returns an error wrapping evidence.ErrParameter for an unknown noise, for smoothing, for ε or β not positive and
// finite, and for δ outside (0, 1) if it is given or, with Gaussian noise, needed.
func NewIndividual(w *Projection, eps evidence.Epsilon, o SignOptions) (*Release, error) {
	r, err := newSigns("iDP-Sign", w, eps, o)
	if err != nil {
		return nil, err
	}
	if o.Smoothing {
		return nil, parameter.Errorf("smoothing = true, want false for an iDP release")
	}
	switch o.Noise {
	case RandomizedResponse:
		r.name, r.rule = r.name+"-RR", individualRR
		return r, nil
	case GaussianNoise:
		r.name, r.rule = r.name+"-G", individualNormal
		mu, err := gaussian.Mu(eps, o.Delta)
		if err != nil {
			return nil, err
		}
		r.mu = mu.Lo
		return r, nil
	}
	return nil, parameter.Bad("noise", o.Noise, `"rr" or "gaussian"`)
}

func (r *Release) withSigma(ctx context.Context) (*Release, error) {
	if err := cmp.Or(r.eps.Positive("eps"), parameter.Positive("beta", r.beta), r.delta.Positive("delta")); err != nil {
		return nil, err
	}
	r.sensitivity = evidence.Number(asWritten(r.beta, Paper+", Theorem C.1"))
	if r.w != nil {
		s, err := r.w.Sensitivity(ctx, r.beta)
		if err != nil {
			return nil, err
		}
		if upper(s) == 0 {
			return nil, parameter.Errorf("all entries of w are 0, want another seed or a smaller s")
		}
		r.sensitivity = s
	}
	sigma, err := gaussian.Sigma(r.eps, r.delta, upper(r.sensitivity))
	if err != nil {
		return nil, err
	}
	if lo, _ := r.sensitivity.Bounds(); lo < upper(r.sensitivity) { // σ is increasing in the sensitivity
		sigma.Lo = math.Nextafter(sigma.Lo*(lo/upper(r.sensitivity)*(1-4*ulp)), 0)
		sigma.Statement = nil // the statement holds for one sensitivity only
	}
	r.sigma = sigma
	return r, nil
}

// Name returns the paper's name of the release.
func (r *Release) Name() string { return r.name }

// Projection returns W, nil for raw data.
func (r *Release) Projection() *Projection { return r.w }

// P returns the dimension of the data.
func (r *Release) P() int { return r.p }

// K returns the dimension of the release.
func (r *Release) K() int {
	if r.w == nil {
		return r.p
	}
	return r.w.k
}

// Beta returns how far a neighbor may move a coordinate.
func (r *Release) Beta() float64 { return r.beta }

// Delta returns the δ that was given, 0 for none.
func (r *Release) Delta() evidence.Delta { return r.delta }

// Signs reports whether signs are released, rather than numbers.
func (r *Release) Signs() bool { return r.rule != numbers }

// Individual reports whether this is an iDP release.
func (r *Release) Individual() bool { return r.rule == individualRR || r.rule == individualNormal }

// DataDependent reports whether a parameter of the release depends on the data
// beyond what the published proof accounts for: A(u) of an iDP release, or
// N₊(‖u‖) of Proposition 4.4.
func (r *Release) DataDependent() bool { return r.Individual() || r.shared() }

// shared reports whether N₊(‖u‖) signs share ε.
func (r *Release) shared() bool {
	return r.rule == randomizedSigns && !r.delta.IsZero() && r.w.kind != OPORP
}

// Label names the kind of guarantee.
func (r *Release) Label() string {
	switch {
	case r.Individual():
		return IndividualLabel
	case r.DataDependent():
		return "parameter N₊ depends on the private ‖u‖: not differential privacy as claimed"
	}
	return "differential privacy with public W"
}

// caveat returns the caveat of every number about this release that is not about differential privacy.
func (r *Release) caveat() string {
	if r.Individual() {
		return IndividualLabel
	}
	return ""
}

// Sigma returns the standard deviation of the noise, certified; its upper end is used for drawing. It returns an
// error wrapping evidence.ErrParameter for releases whose noise depends on the data.
func (r *Release) Sigma() (evidence.Certified, error) {
	if r.rule != numbers && r.rule != noisySigns {
		return evidence.Certified{}, parameter.Errorf("the noise of %s depends on the data, so it has no standard deviation sigma", r.name)
	}
	return r.sigma, nil
}

// HasSigma reports whether Sigma has an answer.
func (r *Release) HasSigma() bool { return r.rule == numbers || r.rule == noisySigns }

// ClaimedEpsilon returns the paper's ε. If [Release.Delta] is not 0, it is claimed together with that δ.
func (r *Release) ClaimedEpsilon() evidence.Claimed {
	place := map[rule]string{
		numbers:          "Theorem 3.2",
		randomizedSigns:  "Proposition 4.4 and Algorithm 3",
		smoothSigns:      "Theorem 4.6",
		noisySigns:       "Theorem 3.2 and post-processing",
		individualRR:     "Theorem A.2, refuted",
		individualNormal: "Theorem A.1, refuted",
	}[r.rule]
	if r.classic {
		place = "Theorem 3.1"
	}
	return evidence.Claimed{Value: r.eps.Value(), Epsilon: r.eps, Provenance: evidence.Provenance{Source: Paper + ", " + place, Caveat: r.caveat()}}
}

// perSign returns the ε' of one flipped sign if n signs share ε.
func (r *Release) perSign(n int) evidence.Epsilon { return r.eps.Ratio(1, int64(max(n, 1))) }
