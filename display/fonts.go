package display

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
)

// typeface is the font of all figures. Its files are part of the program. gonum's font collection would add ten more
// files.
const typeface = "Liberation"

// fonts are the two weights of the typeface.
var fonts = sync.OnceValue(func() font.Collection {
	face := func(ttf []byte, weight stdfont.Weight) font.Face {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err) // a file of the package, which its tests have parsed
		}
		return font.Face{Font: font.Font{Typeface: typeface, Variant: "Sans", Weight: weight}, Face: f}
	}
	return font.Collection{
		face(liberationsansregular.TTF, stdfont.WeightNormal),
		face(liberationsansbold.TTF, stdfont.WeightBold),
	}
})
