// Package codexsite makes a static site of the data of a codex: for any web server, without a program behind it.
package codexsite

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/text/strictjson"
	"trowel.example/torchlight/internal/codex"
)

//go:embed page
var page embed.FS

// Manifest is the file that marks a folder as a site, and lists all others with their hashes.
const Manifest = "codex.json"

// Options are the options of a site.
type Options struct {
	Public   bool   // internal names and paths are omitted; Write removes them from the data, too
	NoModels bool   // models of items and units are omitted
	Program  string // identifies the program that makes the site
	Earlier  fs.FS  // an earlier site, from which unchanged icons and models are taken; nil: none
	Progress func(what string, done, of int)
}

// manifest is the content of the file Manifest.
type manifest struct {
	Format string            `json:"format"`
	Parts  map[string]string `json:"parts"`
	Made   map[string]made   `json:"made"` // by hashes of their keys
}

const format = "trowel-codex-1"

// maxManifest is the maximum size of a manifest in bytes.
const maxManifest = 64 << 20

// readManifest reads the manifest of a site.
func readManifest(site fs.FS) (*manifest, error) {
	info, err := fs.Lstat(site, Manifest)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
		return nil, fmt.Errorf("not a codex: no %s in the folder", Manifest)
	}
	data, err := fs.ReadFile(site, Manifest)
	if err != nil {
		return nil, err
	}
	m := new(manifest)
	if err := json.Unmarshal(data, m); err != nil || m.Format != format {
		return nil, fmt.Errorf("not a codex: its %s is of another program", Manifest)
	}
	return m, nil
}

// Owns returns an error unless a folder is a site with nothing else in it.
func Owns(dir string) error {
	site := os.DirFS(dir)
	m, err := readManifest(site)
	if err != nil {
		return fmt.Errorf("%s is %w", dir, err)
	}
	return fs.WalkDir(site, ".", func(at string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && at != Manifest && m.Parts[at] == "" {
			err = fmt.Errorf("the folder contains %s, which is not a part of a codex", at)
		}
		return err
	})
}

// writer writes a site.
type writer struct {
	dir string
	mu  sync.Mutex // of the manifest and its parts
	manifest
	reuse   *reuse
	data    *codex.Data
	sources []codex.Source
	Options
	iconOf  map[*codex.Thing]string // names of icons in upper case
	sprites map[string]sprite       // by name of the icon
	models  map[*codex.Thing]string // names of files with models
}

// Write writes the site of some data to an empty folder.
func Write(ctx context.Context, dir string, d *codex.Data, sources []codex.Source, o Options) error {
	w := &writer{dir: dir, manifest: manifest{Format: format, Parts: make(map[string]string), Made: make(map[string]made)}, data: d,
		sources: sources, Options: o}
	if w.Progress == nil {
		w.Progress = func(string, int, int) {}
	}
	w.reuse = w.newReuse()
	err := fs.WalkDir(page, "page", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := page.ReadFile(at)
		if err == nil {
			err = w.put(strings.TrimPrefix(at, "page/"), data)
		}
		return err
	})
	if err == nil {
		err = w.icons(ctx)
	}
	if err == nil && !o.NoModels {
		err = w.putModels(ctx)
	}
	if err == nil {
		if codex.Shorten(d); o.Public {
			codex.Publish(d)
		}
		err = w.putData()
	}
	if err != nil {
		return err
	}
	data, err := strictjson.Marshal(w.manifest, " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, Manifest), data, 0o666)
	}
	return errors.Join(err, ctx.Err())
}

// put writes a file.
func (w *writer) put(name string, data []byte) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	w.Parts[name] = partHash(data)
	return os.WriteFile(path, data, 0o666)
}

// putJSON writes a file of data, compressed: few web servers compress, and data is a seventh of its size then.
func (w *writer) putJSON(name string, v any) error {
	data, err := strictjson.Marshal(v, "")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err = z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	return w.put(name+".gz", out.Bytes())
}

// row is a line of a list, with everything that lists, searches and links need.
type row struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Mod     int      `json:"mod"`
	Icon    *sprite  `json:"icon,omitempty"`
	Type    string   `json:"type,omitempty"` // ID of the unit type
	Level   int      `json:"level,omitempty"`
	Min     int      `json:"min,omitempty"`
	Max     int      `json:"max,omitempty"`
	Rarity  *float64 `json:"rarity,omitempty"`
	Created bool     `json:"created,omitempty"`
	Source  bool     `json:"source,omitempty"`
	Role    string   `json:"role,omitempty"`
	Set     string   `json:"set,omitempty"`
	Count   int      `json:"count,omitempty"`
	Name    string   `json:"name,omitempty"` // internal name

	// Percents, from which the page computes values: of units health (least, greatest), damage (least, greatest), armor and experience;
	// of weapons least, greatest, RARITY_DMG_MOD and SPEED_DMG_MOD; of armor ARMOR_PHYSICAL, RARITY_AMR_MOD and SPECIAL_AMR_MOD.
	Stats    []float64         `json:"stats,omitempty"`
	Champion bool              `json:"champion,omitempty"`
	Graphs   map[string]string `json:"graphs,omitempty"`
	Weapon   []float64         `json:"weapon,omitempty"`
	Armor    []float64         `json:"armor,omitempty"`
	Text     string            `json:"text,omitempty"` // for searches
	Model    string            `json:"model,omitempty"`
}

// detailFile is a file with the details of things. Each pair of a key and its value is in it once: things have most of those of
// their base files in common.
type detailFile struct {
	Pairs   [][2]string       `json:"pairs"`
	Things  map[string]detail `json:"things"` // by ID
	numbers map[[2]string]int // of the pairs
}

type detail struct {
	Thing  any     `json:"thing"`
	Values [][]int `json:"values"` // numbers of pairs, for each file of the thing
}

// add adds a thing. Its values are no longer in it.
func (f *detailFile) add(t *codex.Thing, v any) {
	values := [][]int{}
	for _, v := range t.Values {
		pair := [2]string{v.Key, v.Value}
		n, has := f.numbers[pair]
		if !has {
			n = len(f.Pairs)
			f.numbers[pair], f.Pairs = n, append(f.Pairs, pair)
		}
		for len(values) <= v.From {
			values = append(values, []int{})
		}
		values[v.From] = append(values[v.From], n)
	}
	t.Values = nil
	f.Things[t.ID] = detail{v, values}
}

// putData writes the lists, and the details in a file for each kind and letter.
func (w *writer) putData() error {
	d := w.data
	lists := make(map[string][]row)
	details := make(map[string]*detailFile) // by name
	title := make(map[string]string)
	for kind, v := range d.All() {
		title[kind+"="+v.Common().ID] = v.Common().Title
	}
	name := func(l codex.Link) string { return title[l.Kind+"="+l.ID] }
	add := func(kind string, t *codex.Thing, v any, r row) {
		r.ID, r.Title, r.Mod, r.Model = t.ID, t.Title, t.Mod, w.models[t]
		if r.Name = t.Name; t.Name == t.Title {
			r.Name = ""
		}
		if s, has := w.sprites[w.iconOf[t]]; has {
			r.Icon = &s
		}
		r.Text = short(plain(r.Text))
		lists[kind] = append(lists[kind], r)
		if v == nil {
			return
		}
		file := "data/" + kind + "-" + letter(t.Title) + ".json"
		if details[file] == nil {
			details[file] = &detailFile{Pairs: [][2]string{}, Things: make(map[string]detail), numbers: make(map[[2]string]int)}
		}
		details[file].add(t, v)
	}
	effects := func(list []codex.Effect) (s string) {
		for _, e := range list {
			s += e.Text + " "
		}
		return s
	}
	for kind, v := range d.All() {
		var r row
		whole := any(v)
		switch v := v.(type) {
		case *codex.Item:
			r = row{Type: v.Type.ID, Level: v.Level, Min: v.MinLevel, Max: v.MaxLevel, Rarity: v.Rarity, Created: v.Created,
				Source: v.Source, Text: effects(v.Effects) + v.Description, Weapon: percents(&v.Thing, "MAXDAMAGE", "MINDAMAGE 0",
					"MAXDAMAGE 0", "RARITY_DMG_MOD 100", "SPEED_DMG_MOD 100"),
				Armor: percents(&v.Thing, "ARMOR_PHYSICAL", "ARMOR_PHYSICAL 0", "RARITY_AMR_MOD 100", "SPECIAL_AMR_MOD 100")}
			if v.Set != nil {
				r.Set = v.Set.ID
			}
		case *codex.Unit:
			r = row{Type: v.Type.ID, Min: v.MinLevel, Max: v.MaxLevel, Role: v.Role, Champion: v.Champion, Graphs: v.Graphs,
				Stats: percents(&v.Thing, "MAXHP", "MINHP 0", "MAXHP 0", "MINDAMAGE 0", "MAXDAMAGE 0", "ARMOR 0", "XP 0")}
			for _, p := range v.FoundIn {
				r.Text += name(p) + " "
			}
			r.Text += effects(v.Effects) + v.Description
		case *codex.Set:
			r = row{Level: v.Level, Count: len(v.Members)}
			for _, b := range v.Bonuses {
				r.Text += effects(b.Effects)
			}
			for _, m := range v.Members {
				r.Text += name(m) + " "
			}
		case *codex.Affix:
			r = row{Min: v.MinLevel, Max: v.MaxLevel, Text: effects(v.Effects)}
		case *codex.Skill:
			r = row{Count: len(v.Levels), Text: v.Description}
		case *codex.Recipe:
			r = row{Count: len(v.Results)}
			for _, in := range v.Ingredients {
				r.Text += name(in.What) + " "
			}
			for _, out := range v.Results {
				r.Text += name(out.What) + " "
			}
		case *codex.Place:
			r = row{Count: len(v.Strata)}
		case *codex.Class:
			r, whole = row{Count: len(v.Entries)}, nil
		case *codex.Type:
			whole = nil
		}
		add(kind, v.Common(), whole, r)
	}
	counts := make(map[string]int)
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		counts[kind] = len(lists[kind])
		if err := w.putJSON("list/"+kind+".json", lists[kind]); err != nil {
			return err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(details)) {
		if err := w.putJSON(file, details[file]); err != nil {
			return err
		}
	}
	type loot struct {
		Class string   `json:"class"`
		Min   int      `json:"min"`
		Max   int      `json:"max"`
		Units []string `json:"units"`
	}
	loots := []loot{}
	for _, l := range d.Loots {
		one := loot{Class: l.Class.ID, Min: l.Min, Max: l.Max}
		for _, u := range l.Units {
			one.Units = append(one.Units, u.ID)
		}
		loots = append(loots, one)
	}
	languages := slices.Sorted(maps.Keys(d.Translations))
	for _, l := range languages {
		if err := w.putJSON("lang/"+safe(l)+".json", d.Translations[l]); err != nil {
			return err
		}
	}
	for i := range languages {
		languages[i] = safe(languages[i])
	}
	return errors.Join(
		w.putJSON("data/site.json", map[string]any{"mods": d.Mods, "notes": d.Notes, "counts": counts, "languages": languages,
			"public": w.Public,
			"holes":  len(d.Holes)}),
		w.putJSON("data/graphs.json", map[string]any{"graphs": d.Graphs, "effects": d.Effects}),
		w.putJSON("data/classes.json", d.Classes), w.putJSON("data/types.json", d.Types), w.putJSON("data/loots.json", loots),
		w.putJSON("data/holes.json", d.Holes))
}

// percents returns the values of some keys, or nil if a thing lacks the first one. Each is a key and its value if it is missing.
func percents(t *codex.Thing, has string, keys ...string) []float64 {
	values := make(map[string]string)
	for _, v := range t.Values {
		values[v.Key] = v.Value
	}
	if values[has] == "" {
		return nil
	}
	var list []float64
	for _, k := range keys {
		key, usual, _ := strings.Cut(k, " ")
		list = append(list, codex.Number(cmp.Or(values[key], usual)))
	}
	return list
}

// letter returns the name of the file with the details of a thing, by its title: app.js does the same.
func letter(title string) string {
	for _, c := range strings.ToLower(plain(title)) {
		if c >= 'a' && c <= 'z' {
			return string(c)
		}
	}
	return "0"
}

var colors = regexp.MustCompile(`(?i)\|c([0-9a-f]{8}|[0-9a-f]{6})|\|u|\\n`)

// plain returns a text without colors.
func plain(s string) string { return colors.ReplaceAllString(s, " ") }

var blanks = regexp.MustCompile(`\s+`)

// short returns the beginning of a text for searches.
func short(s string) string {
	const most = 400
	s = strings.TrimSpace(blanks.ReplaceAllString(s, " "))
	if r := []rune(s); len(r) > most {
		s = string(r[:most])
	}
	return s
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9]`)

// safe returns a name that can be that of a file everywhere.
func safe(s string) string { return unsafe.ReplaceAllString(s, "_") }
