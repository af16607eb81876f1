package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// magic opens the table; vectors/embed refuses any other.
const magic = "mbstat01"

// encodeTable returns the bytes that package vectors/embed draws. Rows stay in the order of falling frequency.
func encodeTable(words []string, rows [][]float64) ([]byte, error) {
	for i, w := range words {
		if w == "" || strings.Contains(w, "\n") {
			return nil, fmt.Errorf("word %d is %q, want no empty word and no newline", i, w)
		}
	}
	block := strings.Join(words, "\n")
	out := []byte(magic)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(words)))
	out = binary.LittleEndian.AppendUint32(out, dim)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(block)))
	out = append(out, block...)
	scales := make([]float64, len(rows))
	scaleMax := 0.0
	for i, row := range rows {
		scales[i] = maxAbs(row)
		scaleMax = max(scaleMax, scales[i])
	}
	for _, s := range scales {
		out = binary.LittleEndian.AppendUint16(out, uint16(math.Round(math.MaxUint16*s/scaleMax)))
	}
	for i, row := range rows {
		for _, x := range row {
			out = append(out, byte(int8(math.Round(127*x/scales[i]))))
		}
	}
	return out, nil
}

func maxAbs(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
