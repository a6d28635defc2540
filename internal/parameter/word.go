//go:build 386 || arm || armbe || mips || mipsle || ppc || riscv || s390 || sparc

package parameter

// The workbench counts datasets, states and bytes in ints of 64 bits. On a
// 32-bit machine it would count wrongly without a word, so that it does not build
// there; this line is to be what the compiler complains about.
var _ = dpworkbench_needs_a_machine_with_64_bit_ints
