// Command plot draws docs/figures/vectors.svg, recall against searches a second, from docs/figures/vectors.json, which
// internal/peers writes. The same figures give the same bytes.
package main
