package display

// A browser shows SVG. Pixels, PDF and the images of terminals would add half a megabyte to the program.

func renderPNG(drawing) ([]byte, error) { return nil, ErrFormat }

func renderPDF(drawing) ([]byte, error) { return nil, ErrFormat }

func detectImages(func(string) string) Images { return NoImages }

func inline(drawing, Caps) string { return "" } // never called: no terminal here shows images
