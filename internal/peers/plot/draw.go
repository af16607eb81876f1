package main

import (
	"bytes"
	"fmt"
	"math"
)

// figures are those of internal/peers, as far as they are drawn.
type figures struct {
	Sets []set `json:"sets"`
}

type set struct {
	Name    string  `json:"name"`
	Vectors int     `json:"vectors"`
	Dim     int     `json:"dim"`
	Curves  []curve `json:"curves"`
}

type curve struct {
	Index  string  `json:"index"`
	Points []point `json:"points"`
}

type point struct {
	Recall  float64 `json:"recall"`
	Queries float64 `json:"queries_per_cpu_s"`
}

// In pixels. A panel is the area of one set's curves.
const (
	panelWidth, panelHeight = 400, 320
	marginLeft, marginTop   = 70, 60
	panelGap                = 80
	footer                  = 110
)

// style is how an index is drawn. The colours stay apart for those who see few.
type style struct{ name, colour, dash string }

var styles = []style{
	{"membrain", "#0b5fa5", ""},
	{"membrain-int8", "#56b4e9", ""},
	{"hnswlib", "#d55e00", ""},
	{"usearch", "#5b5b5b", ""},
	{"usearch-i8", "#5b5b5b", "5 4"},
}

// draw returns the picture.
func (f figures) draw() []byte {
	var b bytes.Buffer
	width := marginLeft + len(f.Sets)*(panelWidth+panelGap)
	height := marginTop + panelHeight + footer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="#222">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="16">Recall@10 against searches in a second of processor, one thread (up and right is better)</text>`+"\n", marginLeft)
	for i, s := range f.Sets {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", marginLeft+i*(panelWidth+panelGap), marginTop)
		newPanel(s).draw(&b)
		b.WriteString("</g>\n")
	}
	legend(&b, height-24)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func legend(b *bytes.Buffer, y int) {
	x := marginLeft
	for _, s := range styles {
		fmt.Fprintf(b, `<path d="M%d %dh28" stroke="%s" stroke-width="2.5" stroke-dasharray="%s" fill="none"/>`+"\n", x, y-4, s.colour, s.dash)
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", x+34, y, s.name)
		x += 58 + 8*len(s.name)
	}
}

// panel is one set with its scales: both are logarithmic, that of recall in what is missed.
type panel struct {
	set         set
	least, most float64 // what is missed
	slow, fast  float64 // rates, 1, 2 or 5 times a power of ten
}

func newPanel(s set) panel {
	p := panel{set: s, least: 1, most: 0, slow: math.Inf(1)}
	for _, c := range s.Curves {
		for _, at := range c.Points {
			p.least, p.most = min(p.least, missed(at)), max(p.most, missed(at))
			p.slow, p.fast = min(p.slow, at.Queries), max(p.fast, at.Queries)
		}
	}
	p.slow, p.fast = roundDown(p.slow), 1/roundDown(1/p.fast)
	return p
}

// roundDown returns the largest of 1, 2 and 5 times a power of ten that is at most x.
func roundDown(x float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{5, 2} {
		if step*decade <= x {
			return step * decade
		}
	}
	return decade
}

// missed is bounded below: a logarithm has no place for a curve that misses nothing.
func missed(p point) float64 { return max(1-p.Recall, 0.0005) }

func (p panel) x(at point) float64 {
	return panelWidth * math.Log(p.most/missed(at)) / math.Log(p.most/p.least)
}

func (p panel) y(rate float64) float64 {
	return panelHeight * math.Log(p.fast/rate) / math.Log(p.fast/p.slow)
}

func (p panel) draw(b *bytes.Buffer) {
	fmt.Fprintf(b, `<text x="0" y="-12" font-weight="bold">%s, %d x %d</text>`+"\n", p.set.Name, p.set.Vectors, p.set.Dim)
	p.grid(b)
	for _, s := range styles {
		for _, c := range p.set.Curves {
			if c.Index == s.name {
				p.curve(b, c, s)
			}
		}
	}
}

func (p panel) grid(b *bytes.Buffer) {
	for decade := math.Pow(10, math.Floor(math.Log10(p.slow))); decade <= p.fast*1.001; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if rate := decade * step; rate >= p.slow*0.999 && rate <= p.fast*1.001 {
				p.gridLine(b, rate)
			}
		}
	}
	for _, recall := range []float64{0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999} {
		if at := (point{Recall: recall}); missed(at) >= p.least && missed(at) <= p.most {
			fmt.Fprintf(b, `<path d="M%.1f 0V%d" stroke="#ddd"/>`+"\n", p.x(at), panelHeight)
			fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" font-size="11">%s</text>`+"\n", p.x(at), panelHeight+18, fmt.Sprint(recall)[1:])
		}
	}
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="none" stroke="#888"/>`+"\n", panelWidth, panelHeight)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">recall@10</text>`+"\n", panelWidth/2, panelHeight+40)
}

func (p panel) gridLine(b *bytes.Buffer, rate float64) {
	fmt.Fprintf(b, `<path d="M0 %.1fH%d" stroke="#ddd"/>`+"\n", p.y(rate), panelWidth)
	fmt.Fprintf(b, `<text x="-6" y="%.1f" text-anchor="end" font-size="11">%.0f</text>`+"\n", p.y(rate)+4, rate)
}

func (p panel) curve(b *bytes.Buffer, c curve, s style) {
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="2.5" stroke-dasharray="%s" d="`, s.colour, s.dash)
	for i, at := range c.Points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(b, "%s%.1f %.1f", command, p.x(at), p.y(at.Queries))
	}
	b.WriteString(`"/>` + "\n")
	for _, at := range c.Points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", p.x(at), p.y(at.Queries), s.colour)
	}
}
