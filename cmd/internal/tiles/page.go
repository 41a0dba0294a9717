package tiles

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"

	"trowel.example/cmd/internal/leaflet"
	"trowel.example/internal/files/output"
)

const pageName = "index.html"

//go:embed index.html
var pageText string

var page = template.Must(template.New("index.html").Parse(pageText))

// pageData is the description of the pyramid for the page.
type pageData struct {
	Title      string
	Background template.CSS
	Map        struct {
		Levels int        `json:"levels"`
		Side   int        `json:"side"`
		Scale  float64    `json:"scale"`  // pixels per unit at level 0
		Bounds [4]float64 `json:"bounds"` // left, top, right, bottom in pixels of level 0
		Axes   [2]string  `json:"axes"`
		Signs  [2]int     `json:"signs"` // -1 for a coordinate that grows in the opposite direction
	}
}

// writePage writes the page and its resources.
func (p *Pyramid) writePage() error {
	d := pageData{Title: p.Title, Background: "#ddd"}
	if p.Background.A == 0xff {
		d.Background = template.CSS(fmt.Sprintf("#%02x%02x%02x", p.Background.R, p.Background.G, p.Background.B))
	}
	d.Map.Levels, d.Map.Side, d.Map.Scale = max(1, len(p.levels)), side, p.Scale
	b := p.View.Bounds
	for i, v := range []float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]} {
		d.Map.Bounds[i] = math.Round(v * p.Scale)
	}
	for i, name := range p.View.Axes {
		d.Map.Signs[i] = 1
		if name == "" {
			name = string("xy"[i])
		}
		if short, minus := strings.CutPrefix(name, "-"); minus {
			name, d.Map.Signs[i] = short, -1
		}
		d.Map.Axes[i] = name
	}
	var b2 bytes.Buffer
	if err := page.Execute(&b2, d); err != nil {
		return err
	}
	files := map[string][]byte{pageName: b2.Bytes()}
	for from, to := range map[string]string{"leaflet.js": "leaflet.js", "leaflet.css": "leaflet.css", "LICENSE": "leaflet-license.txt"} {
		data, err := leaflet.Files.ReadFile(from)
		if err != nil {
			return err
		}
		files[to] = data
	}
	for name, data := range files {
		sum := sha256.Sum256(data)
		hash := output.Hash(sum[:16])
		key := hash
		if name == pageName {
			key = p.style()
		}
		piece, there := p.folder.Piece(name)
		var err error
		switch {
		case !there || piece.Content != hash:
			err = p.write(name, key, hash, data)
		case piece.Key != key:
			err = p.folder.Rekey(name, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
