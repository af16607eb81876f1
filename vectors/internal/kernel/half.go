package kernel

import "math"

// F16FromFloat32 returns the IEEE 754 binary16 number nearest to x, ties to even: infinity from 65,520 on, subnormals
// below 2^-14, and a quiet NaN for every NaN.
func F16FromFloat32(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, magnitude := uint16(bits>>16)&0x8000, bits&0x7fffffff
	switch {
	case magnitude > 0x7f800000:
		return sign | 0x7e00 | uint16(magnitude>>13)&0x3ff
	case magnitude >= 0x47800000: // 65,536
		return sign | 0x7c00
	case magnitude < 0x38800000: // 2^-14
		// One float32 addition rounds to the step of subnormal halves: the last bit of 0.5 is worth 2^-24.
		return sign | uint16(math.Float32bits(math.Float32frombits(magnitude)+0.5)-0x3f000000)
	}
	odd := magnitude >> 13 & 1
	return sign | uint16((magnitude-0x38000000+0xfff+odd)>>13) // a carry goes into the exponent, up to infinity
}

// F16ToFloat32 returns the number exactly. A signalling NaN becomes quiet, as processors do it.
func F16ToFloat32(h uint16) float32 {
	if h&0x7c00 == 0x7c00 {
		return f16Special(h)
	}
	// The exponent moves by multiplication, which also makes subnormal halves normal.
	// One expression: the function is then just small enough to be inlined.
	return math.Float32frombits(uint32(h&0x8000)<<16 | math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13)*0x1p112))
}

// f16Special widens infinities and NaNs.
func f16Special(h uint16) float32 {
	bits := uint32(h&0x8000)<<16 | 0x7f800000 | uint32(h&0x3ff)<<13
	if h&0x3ff != 0 {
		bits |= 0x400000
	}
	return math.Float32frombits(bits)
}

// F16Row converts src to halves and returns how many overflowed to infinity, which normalised vectors never do. dst is
// at least as long as src.
func F16Row(dst []uint16, src []float32) (overflowed int) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = F16FromFloat32(x)
		if dst[i]&0x7fff == 0x7c00 {
			overflowed++
		}
	}
	return overflowed
}
