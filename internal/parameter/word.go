//go:build 386 || arm || armbe || mips || mipsle || ppc || riscv || s390 || sparc

package parameter

// The workbench counts datasets, states and bytes in 64-bit ints, and would silently be wrong on a 32-bit machine.
// So it must not compile there: the compiler reports this undefined name.
var _ = dpworkbench_needs_a_machine_with_64_bit_ints
