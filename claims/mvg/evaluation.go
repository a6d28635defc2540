package mvg

import (
	"dpworkbench/claims/check"
)

// The two settings of a comparison, by their names in the notebook.
const (
	asStated = "as stated"
	atEqual  = "at equal exact privacy"
)

// evaluationChecks returns the checks of the rankings that the paper's evaluation states, by table and figure.
func evaluationChecks() check.Checks {
	return check.Checks{
		"mvg.table3.ranking":       ranking("I", asStated, rival),
		"mvg.table3.exact":         ranking("I", atEqual, rival),
		"mvg.table4.ranking":       check.WithCorrection(noisyComponent(componentGap), lostBound(2).Check),
		"mvg.table4.exact":         ranking("II", atEqual, rival),
		"mvg.table5.ranking":       ranking("III", asStated, rival),
		"mvg.figure4.left":         ranking("Figure 4, I", asStated, others),
		"mvg.figure4.left.exact":   ranking("Figure 4, I", atEqual, others),
		"mvg.figure4.middle":       ranking("Figure 4, II", asStated, others),
		"mvg.figure4.middle.exact": ranking("Figure 4, II", atEqual, others),
		"mvg.figure4.right":        ranking("Figure 4, III", asStated, others),
		"mvg.figure4.right.exact":  ranking("Figure 4, III", atEqual, others),
		"mvg.section10.2":          ranking("I, ALT and Y alone", asStated, rival),
		"mvg.section10.2.exact":    ranking("I, ALT and Y alone", atEqual, rival),
		"mvg.table5.exact":         ranking("III", atEqual, rival),
	}
}
