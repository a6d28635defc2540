package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped if a file does not have the format of its set.
var ErrFormat = errors.New("unexpected file format")

// ReadImages reads count images, starting at number first, from an uncompressed idx3 file of bytes (LeCun and
// Cortes): a row of numbers in [0, 1] per image. A negative count means all remaining ones. Errors wrap ErrFormat
// if the file has another format or too few images.
func ReadImages(r io.Reader, first, count int) (images [][]float64, err error) {
	var head struct{ Magic, Count, Rows, Columns uint32 }
	if err := binary.Read(r, binary.BigEndian, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	pixels := int(head.Rows) * int(head.Columns)
	if head.Magic != 0x803 || pixels < 1 || pixels > 1<<20 || head.Count > 1<<24 {
		return nil, fmt.Errorf("%w: it holds no images with one byte a pixel", ErrFormat)
	}
	left := int(head.Count) - first
	if count < 0 {
		count = left
	}
	if first < 0 || count > left || left < 0 {
		return nil, fmt.Errorf("%w: images %d to %d are requested, the file has %d", ErrFormat, first, first+count-1, head.Count)
	}
	if _, err := io.CopyN(io.Discard, r, int64(first)*int64(pixels)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	image, room := make([]byte, pixels), unpacked()
	for range count {
		if _, err := io.ReadFull(r, image); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		row := make([]float64, pixels)
		for i, b := range image {
			row[i] = float64(b) / 255
		}
		images = append(images, row)
		if err := room.To(float64(len(images)) * (8*float64(pixels) + rowSize)); err != nil { // also a matrix
			return nil, err
		}
	}
	return images, nil
}

// ReadLabels reads count labels, starting at number first, from an uncompressed idx1 file of bytes. A negative count
// means all remaining ones. Errors are those of ReadImages.
func ReadLabels(r io.Reader, first, count int) ([]int, error) {
	var head struct{ Magic, Count uint32 }
	if err := binary.Read(r, binary.BigEndian, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if head.Magic != 0x801 || head.Count > 1<<24 {
		return nil, fmt.Errorf("%w: it holds no labels of one byte each", ErrFormat)
	}
	labels := make([]byte, head.Count)
	if _, err := io.ReadFull(r, labels); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if count < 0 {
		count = len(labels) - first
	}
	if first < 0 || count < 0 || first+count > len(labels) {
		return nil, fmt.Errorf("%w: labels %d to %d are requested, the file has %d", ErrFormat, first, first+count-1, len(labels))
	}
	out := make([]int, count)
	for i, b := range labels[first:][:count] {
		out[i] = int(b)
	}
	return out, nil
}

// ReadCIFAR reads count images, starting at number first, from a file of CIFAR-10's binary version: a byte for the
// label, then 1024 bytes each of red, green and blue. Images are converted to grey, .299 red + .587 green + .114
// blue in [0, 1]. A negative count means all remaining ones. Errors are those of ReadImages.
func ReadCIFAR(r io.Reader, first, count int) (images [][]float64, labels []int, err error) {
	const pixels = 1024
	record, room := make([]byte, 1+3*pixels), unpacked()
	for n := 0; count < 0 || n < first+count; n++ {
		if _, err := io.ReadFull(r, record); err == io.EOF && count < 0 && n >= first {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("%w: image %d: %w", ErrFormat, n, err)
		}
		if record[0] > 9 {
			return nil, nil, fmt.Errorf("%w: image %d has label %d, want 0 to 9", ErrFormat, n, record[0])
		}
		if n < first {
			continue
		}
		row := make([]float64, pixels)
		for i := range row {
			row[i] = (299*float64(record[1+i]) + 587*float64(record[1+pixels+i]) + 114*float64(record[1+2*pixels+i])) / 255000
		}
		images, labels = append(images, row), append(labels, int(record[0]))
		if err := room.To(float64(len(images)) * (8*pixels + rowSize)); err != nil {
			return nil, nil, err
		}
	}
	return images, labels, nil
}
