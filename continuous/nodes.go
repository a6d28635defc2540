package continuous

import "slices"

// nodeBlock bounds the number of nodes in a block, so that an insertion moves few nodes.
const nodeBlock = 128

// nodeList holds ring nodes by ascending residue in short blocks. Its first
// node is the residue 0.
type nodeList[T scale[T]] struct {
	blocks [][]ringNode[T]
	count  int
}

// cursor is the position of a node. The next insertion invalidates it.
type cursor struct{ block, index int }

func (c cursor) ok() bool { return c.index >= 0 }

func (l *nodeList[T]) at(c cursor) *ringNode[T] { return &l.blocks[c.block][c.index] }

// last returns the last node whose residue is at most x ≥ 0.
func (l *nodeList[T]) last(x T) cursor {
	block, found := slices.BinarySearchFunc(l.blocks, x, func(b []ringNode[T], x T) int { return b[0].at.cmp(x) })
	if found {
		return cursor{block, 0}
	}
	block--
	index, found := slices.BinarySearchFunc(l.blocks[block], x, func(n ringNode[T], x T) int { return n.at.cmp(x) })
	if !found {
		index--
	}
	return cursor{block, index}
}

// next returns the node after c. If there is none, ok of the result is false.
func (l *nodeList[T]) next(c cursor) cursor {
	switch {
	case c.index+1 < len(l.blocks[c.block]):
		return cursor{c.block, c.index + 1}
	case c.block+1 < len(l.blocks):
		return cursor{c.block + 1, 0}
	}
	return cursor{index: -1}
}

// insert inserts n into a block at the given index, and splits the block if it becomes too long. It returns the
// position of n.
func (l *nodeList[T]) insert(block, index int, n ringNode[T]) cursor {
	l.count++
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, []ringNode[T]{n})
		return cursor{0, 0}
	}
	l.blocks[block] = slices.Insert(l.blocks[block], index, n)
	if b := l.blocks[block]; len(b) > nodeBlock {
		half := len(b) / 2
		l.blocks = slices.Insert(l.blocks, block+1, slices.Clone(b[half:]))
		l.blocks[block] = b[:half:half]
		if index >= half {
			return cursor{block + 1, index - half}
		}
	}
	return cursor{block, index}
}
