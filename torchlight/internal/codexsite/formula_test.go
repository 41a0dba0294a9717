package codexsite

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/internal/codex"
)

var update = flag.Bool("update", false, "write the table of formulas in testdata again")

// triple is a formula with its arguments and its value.
type triple struct {
	Formula string            `json:"formula"`
	Level   float64           `json:"level"`
	Numbers []float64         `json:"numbers,omitempty"`
	Keys    map[string]string `json:"keys,omitempty"`
	Type    *codex.EffectType `json:"type,omitempty"`
	Want    any               `json:"want"`
}

var stats = []string{"health", "damage", "armor", "experience"}

// testGraphs returns the graphs of the tables.
func testGraphs() ([]*codex.Graph, codex.Graphs) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []*codex.Graph
	byName := make(codex.Graphs)
	names := []string{"BASE_WEAPON_DAMAGE", "ARMOR_PLAYER_BYLEVEL_FORSET", "ANY"}
	for _, stat := range stats {
		for d := codex.Easy; d <= codex.VeryHard; d++ {
			names = append(names, codex.StatGraph(stat, false, d), codex.StatGraph(stat, true, d))
		}
	}
	for i, name := range names {
		g := &codex.Graph{Name: name, Past: i%2 == 0}
		x := 1.0
		for range 1 + r.IntN(6) {
			g.Points = append(g.Points, [2]float64{x, math.Round(r.Float64()*1e5) / 100})
			x += float64(1 + r.IntN(40))
		}
		list, byName[name] = append(list, g), g
	}
	return list, byName
}

// makeTriples returns n formulas with random arguments.
func makeTriples(seed uint64, n int) []triple {
	_, graphs := testGraphs()
	r := rand.New(rand.NewPCG(seed, seed))
	percent := func() float64 { return math.Round(r.Float64()*4000) / 10 }
	list := make([]triple, 0, n)
	for i := range n {
		t := triple{Level: float64(1 + r.IntN(200))}
		switch i % 6 {
		case 0, 1:
			t.Formula = "stat"
			stat, champion, d, own := r.IntN(4), r.IntN(2), r.IntN(4), r.IntN(2)
			p := percent()
			t.Numbers = []float64{p, float64(stat), float64(champion), float64(d), float64(own)}
			t.Want, _ = graphs.Stat(p, stats[stat], strings.Repeat("any", own), champion == 1, codex.Difficulty(d), t.Level)
		case 2:
			t.Formula = "damage"
			t.Numbers = []float64{percent(), 1 + percent(), percent(), percent()}
			exact, low, high, _ := graphs.Damage(codex.Weapon{Min: t.Numbers[0], Max: t.Numbers[1], Rarity: t.Numbers[2],
				Speed: t.Numbers[3]}, t.Level)
			t.Want = []float64{exact[0], exact[1], float64(low), float64(high)}
		case 3:
			t.Formula = "armor"
			t.Numbers = []float64{percent(), percent(), percent()}
			armor, _ := graphs.Armor(t.Numbers[0], t.Numbers[1], t.Numbers[2], t.Level)
			t.Want = float64(armor)
		case 4:
			t.Formula = "any"
			least := r.IntN(5)
			t.Numbers = []float64{math.Round(r.Float64()*1e6) / 1e6, float64(least), float64(least + r.IntN(60))}
			t.Want = codex.Any(t.Numbers[0], least, int(t.Numbers[2]))
		default:
			t.Formula = "effect"
			t.Keys = map[string]string{"TYPE": "X", "MIN": fmt.Sprint(percent() - 100), "MAX": fmt.Sprint(percent()),
				"DURATION": fmt.Sprint(r.IntN(3)),
				"NOGRAPH":  []string{"true", "false", "0", ""}[r.IntN(4)], "CHANCE": fmt.Sprint(percent()), "NAME": "Fire",
				"DAMAGE_TYPE": "ICE"}
			t.Type = &codex.EffectType{Name: "X", Graph: []string{"", "any", "NONE"}[r.IntN(3)], Good: "+[VALUE] ([VALUE1]) [NAME]",
				Bad:      "-[VALUE]",
				GoodOver: "[VALUE_OT] [DMGTYPE] for [DURATION] s", Precision: r.IntN(4), MaxExact: float64(r.IntN(2) * 20),
				Values: []string{"CHANCE"}}
			t.Want = graphs.EffectText(t.Keys, t.Type, t.Level)
		}
		list = append(list, t)
	}
	return list
}

// TestFormulas tests the formulas against a table, which a judge compares with those of the page.
func TestFormulas(t *testing.T) {
	name := filepath.Join("testdata", "formulas.json")
	got, err := json.MarshalIndent(makeTriples(1, 200), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		judge.Write(t, name, got)
	}
	want := judge.Read(t, name)
	if string(got) != string(want) {
		t.Error("the formulas give other values than those in testdata")
	}
}

// TestPageFormulas tests that the formulas of the page give the same values.
func TestPageFormulas(t *testing.T) {
	judge.Find(t, "node")
	dir := judge.Dir(t)
	graphs, _ := testGraphs()
	data, err := json.Marshal(map[string]any{"graphs": graphs, "triples": append(makeTriples(1, 200), makeTriples(2, 10_000)...)})
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "data.json"), data)
	formula, err := page.ReadFile("page/formula.js")
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "formula.mjs"), formula)
	judge.Write(t, filepath.Join(dir, "run.mjs"), []byte(`import * as f from "./formula.mjs";
import fs from "node:fs";
const d = JSON.parse(fs.readFileSync("data.json")), graphs = new Map(d.graphs.map((g) => [g.name.toUpperCase(), g]));
let wrong = 0;
for (const { formula, level, numbers: n, keys, type, want } of d.triples) {
  let got;
  if (formula === "stat") got = f.stat(graphs, n[0], ["health", "damage", "armor", "experience"][n[1]], n[4] ? "any" : undefined,
    n[2] === 1, n[3], level);
  else if (formula === "damage") { const w = f.damage(graphs, { min: n[0], max: n[1], rarity: n[2], speed: n[3] }, level);
    got = [...w.exact, w.low, w.high]; }
  else if (formula === "armor") got = f.armor(graphs, ...n, level);
  else if (formula === "any") got = f.any(...n);
  else got = f.effectText(graphs, keys, type, level);
  const close = (a, b) => (typeof a === "number" ? Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)) : a === b);
  if (![got].flat().every((v, i) => close(v, [want].flat()[i])) && ++wrong < 10) console.log(formula, level, n, keys, type, got, want);
}
console.log("wrong:", wrong, "of", d.triples.length);
`))
	out, err := judge.Run(t, dir, "node", "run.mjs")
	if err != nil || !strings.Contains(out, "wrong: 0 of 10200") {
		t.Errorf("%v\n%s", err, out)
	}
}
