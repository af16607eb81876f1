// Package kernel multiplies vectors: one query against many rows that lie one after the other.
//
// The product of codes of eight bits is an integer, so every implementation gives the same bits: AVX2 assembly on
// amd64, chosen when the processor has it, and portable Go elsewhere and under the build tag noasm. Floats are multiplied
// in float64, where the product of two float32 is exact, and summed in one fixed order; a fused multiply-add
// then rounds as a multiplication and an addition do, so here, too, processors agree.
//
// Codes are -127 to 127. With -128 the 16-bit sum of two products could saturate in the assembly.
package kernel
