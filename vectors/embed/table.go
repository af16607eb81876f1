package embed

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
)

//go:embed table/static-en-1.bin
var tableBytes string

//go:embed table/static-en-1.bin.sha256
var tableSum string

const (
	tableMagic = "mbstat01"
	headBytes  = len(tableMagic) + 3*4
	idHexMax   = 12 // hex digits of the table's sha256 in the id
)

// table is the word table, see doc.go. Its words and codes are windows into the binary. Read-only once parsed.
type table struct {
	rows   map[string]uint32 // word -> row
	scales []uint16
	sif    []uint16 // weight of the row's word in a document, 0 to 4095
	codes  string   // gloveDim bytes a row
}

// parseTable checks every length before it reads; a table of another shape is refused. Errors: ErrTable.
func parseTable(b string) (table, error) {
	if len(b) < headBytes || b[:len(tableMagic)] != tableMagic {
		return table{}, fmt.Errorf("%w: no magic %q", ErrTable, tableMagic)
	}
	head := []byte(b[len(tableMagic):headBytes])
	n, dim, wordsBytes := le32(head, 0), le32(head, 1), le32(head, 2)
	if dim != gloveDim {
		return table{}, fmt.Errorf("%w: %d dimensions, want %d", ErrTable, dim, gloveDim)
	}
	if want := headBytes + wordsBytes + 2*n + n*dim; len(b) != want {
		return table{}, fmt.Errorf("%w: %d bytes, want %d", ErrTable, len(b), want)
	}
	b = b[headBytes:]
	rows, err := parseWords(b[:wordsBytes], n)
	if err != nil {
		return table{}, err
	}
	b = b[wordsBytes:]
	return table{rows: rows, scales: parseScales(b[:2*n]), sif: sifWeights(n), codes: b[2*n:]}, nil
}

func le32(b []byte, i int) int { return int(binary.LittleEndian.Uint32(b[4*i:])) }

func parseWords(block string, n int) (map[string]uint32, error) {
	rows := make(map[string]uint32, n)
	count := uint32(0)
	for word := range strings.SplitSeq(block, "\n") {
		rows[word] = count
		count++
	}
	if len(rows) != n {
		return nil, fmt.Errorf("%w: %d words, %d of them different, want %d", ErrTable, count, len(rows), n)
	}
	return rows, nil
}

func parseScales(b string) []uint16 {
	scales := make([]uint16, len(b)/2)
	for i := range scales {
		scales[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return scales
}

// add adds weight times the vector of a row to sum.
func (t *table) add(sum *[gloveDim]int64, row uint32, weight int64) {
	weight *= int64(t.scales[row])
	codes := t.codes[int(row)*gloveDim:][:gloveDim]
	for i := range sum {
		sum[i] += weight * int64(int8(codes[i]))
	}
}

// tableID returns the first hex digits of the table's sha256, which the file beside it states (a test compares).
func tableID() (string, error) {
	if len(tableSum) < 64 {
		return "", fmt.Errorf("%w: no sha256 beside it", ErrTable)
	}
	return tableSum[:idHexMax], nil
}
