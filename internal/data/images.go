package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped where a file is not what its name promises.
var ErrFormat = errors.New("unexpected file format")

// ReadImages reads count images from the first-th on of an unpacked idx3 file of
// bytes (LeCun and Cortes): a row of numbers in [0, 1] an image. A negative count
// means all that are left. Errors wrap ErrFormat where the file is not of that format
// or holds too few images.
func ReadImages(r io.Reader, first, count int) (images [][]float64, err error) {
	var head struct{ Magic, Count, Rows, Columns uint32 }
	if err := binary.Read(r, binary.BigEndian, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	pixels := int(head.Rows) * int(head.Columns)
	if head.Magic != 0x803 || pixels < 1 || pixels > 1<<20 || head.Count > 1<<24 {
		return nil, fmt.Errorf("%w: no images of bytes", ErrFormat)
	}
	left := int(head.Count) - first
	if count < 0 {
		count = left
	}
	if first < 0 || count > left || left < 0 {
		return nil, fmt.Errorf("%w: images %d to %d asked for, the file has %d", ErrFormat, first, first+count-1, head.Count)
	}
	if _, err := io.CopyN(io.Discard, r, int64(first)*int64(pixels)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	image := make([]byte, pixels)
	for range count {
		if _, err := io.ReadFull(r, image); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		row := make([]float64, pixels)
		for i, b := range image {
			row[i] = float64(b) / 255
		}
		images = append(images, row)
	}
	return images, nil
}
