package display

import (
	"image/color"
	"math"
)

// rgb is an opaque sRGB colour.
type rgb struct{ r, g, b uint8 }

func (c rgb) RGBA() (r, g, b, a uint32) { return color.RGBA{c.r, c.g, c.b, 255}.RGBA() }

// The colours of all figures.
var (
	ink      = rgb{34, 34, 34}
	frameInk = rgb{90, 90, 90}
	gridInk  = rgb{228, 228, 228}
	paper    = rgb{255, 255, 255}
	missing  = [2]rgb{{190, 190, 190}, {150, 150, 150}} // a cell with no value: stripes of these
)

// lineColors are for curves on paper, after M. Okabe and K. Ito, Color Universal
// Design (2008), without yellow, which is too light for a thin line on white.
var lineColors = []rgb{
	{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {86, 180, 233}, {230, 159, 0}, {70, 70, 70},
}

// termColors are the same hues, light enough for a dark background and dark
// enough for a light one.
var termColors = []rgb{
	{60, 145, 225}, {230, 105, 30}, {25, 170, 125}, {210, 120, 175}, {105, 190, 240}, {220, 160, 20}, {150, 150, 150},
}

// levels is the number of colours in a map: odd, so that the diverging map has
// a neutral level in the middle.
const levels = 251

// colorMap is a table of levels colours, from the least value to the greatest, with corresponding xterm colours.
// These are chosen jointly: the nearest ones would vary in hue and not in lightness.
type colorMap struct {
	full  [levels]rgb
	xterm []int
}

// sequentialMap rises evenly in lightness from dark violet to yellow.
func sequentialMap() *colorMap {
	rise := func(t float64) float64 { return 0.26 + 0.65*t }
	return newColorMap(rise, []rgb{{50, 15, 85}, {58, 78, 140}, {34, 138, 141}, {94, 192, 104}, {248, 228, 64}},
		53, 54, 60, 61, 31, 36, 71, 77, 113, 149, 191, 227)
}

// divergingMap falls evenly in lightness from near-white in the middle to blue
// below and brown above.
func divergingMap() *colorMap {
	fall := func(t float64) float64 { return 0.972 - 0.642*math.Abs(2*t-1) }
	return newColorMap(fall, []rgb{{12, 44, 102}, {70, 140, 202}, {246, 246, 244}, {222, 140, 52}, {104, 44, 6}},
		17, 18, 25, 68, 74, 110, 153, 189, 255, 230, 223, 215, 179, 172, 130, 94, 52)
}

// newColorMap returns the map whose colours have the given lightness. Hue and chroma come from evenly spaced anchors,
// interpolated in the perceptually uniform Oklab space.
func newColorMap(lightness func(t float64) float64, anchors []rgb, xterm ...int) *colorMap {
	m := &colorMap{xterm: xterm}
	last := float64(len(anchors) - 1)
	for i := range m.full {
		t := float64(i) / (levels - 1) * last
		k := min(int(t), len(anchors)-2)
		a, b := toOklab(anchors[k]), toOklab(anchors[k+1])
		f := t - float64(k)
		for j := range a {
			a[j] += f * (b[j] - a[j])
		}
		a[0] = lightness(float64(i) / (levels - 1))
		m.full[i] = fromOklab(a)
	}
	return m
}

// at returns the colour of a level on a surface with the given number of colours.
func (m *colorMap) at(level int, colors Colors) rgb {
	if colors == TrueColor {
		return m.full[level]
	}
	last := len(m.xterm) - 1
	return xtermColor(m.xterm[(level*last+(levels-1)/2)/(levels-1)])
}

// toOklab returns lightness and the two opponent coordinates of c
// (B. Ottosson, A perceptual color space for image processing, 2020).
func toOklab(c rgb) [3]float64 {
	r, g, b := linear(c.r), linear(c.g), linear(c.b)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func fromOklab(c [3]float64) rgb {
	cube := func(x float64) float64 { return x * x * x }
	l := cube(c[0] + 0.3963377774*c[1] + 0.2158037573*c[2])
	m := cube(c[0] - 0.1055613458*c[1] - 0.0638541728*c[2])
	s := cube(c[0] - 0.0894841775*c[1] - 1.2914855480*c[2])
	return rgb{
		encode(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		encode(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		encode(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

// linear and encode are the sRGB transfer function and its inverse (IEC 61966-2-1).
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func encode(x float64) uint8 {
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * min(max(x, 0), 1)))
}
