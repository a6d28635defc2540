package data

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped where a file is not what its name promises.
var ErrFormat = errors.New("unexpected file format")

// ReadImages reads count images from the first-th on of a gzipped idx3 file of
// bytes (LeCun and Cortes): pixels bytes an image, one image after the other. A
// negative count means all that are left. Errors wrap ErrFormat where the file is
// not of that format or holds too few images.
func ReadImages(r io.Reader, first, count int) (images []byte, pixels int, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var head struct{ Magic, Count, Rows, Columns uint32 }
	if err := binary.Read(z, binary.BigEndian, &head); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	pixels = int(head.Rows) * int(head.Columns)
	if head.Magic != 0x803 || pixels < 1 || pixels > 1<<20 || head.Count > 1<<24 {
		return nil, 0, fmt.Errorf("%w: no images of bytes", ErrFormat)
	}
	left := int(head.Count) - first
	if count < 0 {
		count = left
	}
	if first < 0 || count > left {
		return nil, 0, fmt.Errorf("%w: images %d to %d asked for, the file has %d", ErrFormat, first, first+count-1, head.Count)
	}
	if _, err := io.CopyN(io.Discard, z, int64(first)*int64(pixels)); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	images = make([]byte, count*pixels)
	if _, err := io.ReadFull(z, images); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return images, pixels, nil
}
