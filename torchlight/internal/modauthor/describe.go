package modauthor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// Describe describes what is at a place: a key with its hash and its effective value, a GUID with its owner, a file.
func (a *Author) Describe(_ context.Context, at string, spot format.Spot) (string, format.Span, error) {
	content, err := a.content(at)
	if err != nil {
		return "", format.Span{}, err
	}
	row, ok := lineOf(content, spot.Line)
	if !ok {
		return "", format.Span{}, nil
	}
	if s, over, ok := a.symbolAt(at, spot); ok && s.kind != kindFile || ok && over.From.Column > 1 {
		return a.describeSymbol(at, content, s), over, nil
	}
	l := parseLine(row)
	switch {
	case !isTree(moddir.GamePath(at)):
	case (l.open || l.close) && l.name.has(spot.Column):
		return "node " + words.Code(l.name.of(row)) + "\n\n" + hashOf(l.name.of(row)), l.name.span(at, spot.Line), nil
	case l.property && l.colon && l.key.has(spot.Column):
		return a.describeKey(at, content, row, l, spot.Line), l.key.span(at, spot.Line), nil
	case l.property && l.colon && spot.Column > l.key.to:
		value := part{l.value.from, len(strings.TrimRight(row, " \t\r"))}
		if text := a.effective(at, content, l.key.of(row), spot.Line); text != "" && value.to >= value.from {
			return text, value.span(at, spot.Line), nil
		}
	}
	return "", format.Span{}, nil
}

// hashOf describes the hash of a name.
func hashOf(name string) string {
	h := hash.Of(name)
	return fmt.Sprintf("hash %d (0x%08X)", h, h)
}

// describeKey describes a key by what other files have in it.
func (a *Author) describeKey(at, content, row string, l line, n int) string {
	key := l.key.of(row)
	out := []string{"key " + words.Code(key) + ", " + words.Code(l.typ.of(row)), hashOf(key)}
	if way, _ := around(content, n); len(way) > 0 {
		id := keyID{strings.ToUpper(way[len(way)-1]), strings.ToUpper(key)}
		a.mu.RLock()
		stat := a.stat(id)
		if len(stat.values) > 0 {
			values := make([]string, 0, few)
			for _, v := range stat.frequent(few) {
				values = append(values, words.Code(v))
			}
			out = append(out, fmt.Sprintf("in %s %s %s, as %s: %s", words.Thousands(int64(stat.count())), words.Plural(int64(stat.count()), "node"),
				words.Code(id.node), stat.typ(), strings.Join(values, ", ")))
		}
		a.mu.RUnlock()
	}
	if text := a.effective(at, content, key, n); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, "\n\n")
}

// few is the number of values that a description lists.
const few = 6

// stat returns the statistics of a key in the mod and in the game's files.
func (a *Author) stat(id keyID) *keyStat {
	sum := &keyStat{values: make(map[string]int32)}
	for _, x := range []*index{a.mod, a.game} {
		if s := x.keys[id]; s != nil {
			for t, n := range s.types {
				sum.types[t] += n
			}
			for v, n := range s.values {
				sum.values[v] += n
			}
		}
	}
	return sum
}

// frequent returns the most frequent values.
func (k *keyStat) frequent(most int) []string {
	values := make([]string, 0, len(k.values))
	for v := range k.values {
		values = append(values, v)
	}
	slices.SortFunc(values, func(v, w string) int {
		if d := k.values[w] - k.values[v]; d != 0 {
			return int(d)
		}
		return strings.Compare(v, w)
	})
	return values[:min(len(values), most)]
}

// chain returns a data file with its base files. It fails if the text cannot be read.
func (a *Author) chain(at, content string) (inherit.Chain, error) {
	f, err := text.Parse([]byte(content))
	if err != nil {
		return inherit.Chain{}, err
	}
	return inherit.Follow(moddir.GamePath(at), f.Root, a.tree), nil
}

// effective describes the effective value of a key at a line, if the file has a BASEFILE.
func (a *Author) effective(at, content, key string, n int) string {
	chain, err := a.chain(at, content)
	if err != nil || len(chain.Links) < 2 && chain.Err == nil {
		return ""
	}
	way, _ := around(content, n)
	if len(way) == 0 {
		return ""
	}
	whole := strings.Join(append(slices.Clone(way[1:]), key), ".")
	var out []string
	if v, ok := chain.Find(whole); ok {
		from := "this file"
		if v.Link > 0 {
			from = words.Code(chain.Links[v.Link].File)
		}
		out = append(out, fmt.Sprintf("effective value: %s, from %s", words.Code(v.Property.Value), from))
	}
	for i, link := range chain.Links[1:] {
		if v, ok := (inherit.Chain{Links: []inherit.Link{link}}).Find(whole); ok && !strings.EqualFold(key, inherit.Key) {
			out = append(out, fmt.Sprintf("base file %d, %s: %s", i+1, words.Code(link.File), words.Code(v.Property.Value)))
		}
	}
	switch {
	case errors.Is(chain.Err, inherit.ErrLoop):
		out = append(out, words.OneLine(chain.Err.Error()))
	case chain.Err != nil:
		out = append(out, "the base file "+words.Code(chain.Missing)+" is unavailable (give the game's files with `--base`)")
	}
	return strings.Join(out, "\n\n")
}

// describeSymbol describes what a value names.
func (a *Author) describeSymbol(at, content string, s symbol) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var out []string
	for _, s := range a.kindsOf(s) {
		f, inGame, ok := a.ownerOf(s)
		x, where := a.mod, "in the mod"
		if inGame {
			x, where = a.game, "in the game's files"
		}
		title := s.kind.String() + " " + words.Code(s.name)
		switch {
		case !ok:
			out = append(out, title+", which is not in the mod"+a.unknownGame())
		case s.kind == kindFile && strings.HasSuffix(f.game, ".DAT") && x.nameIn(f) != "":
			out = append(out, fmt.Sprintf("%s, %s: defines %s", title, where, words.Code(x.nameIn(f))))
		case s.kind == kindFile:
			out = append(out, fmt.Sprintf("%s, %s, %s", title, where, words.Count(f.size, "byte")))
		case s.kind == kindGUID:
			out = append(out, fmt.Sprintf("%s of %s, %s: %s", title, words.Code(x.nameIn(f)), where, words.Code(f.game)))
		default:
			out = append(out, fmt.Sprintf("%s, defined %s: %s", title, where, words.Code(f.game)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	if n := len(a.mentions(a.mod, s)); n > 0 {
		out = append(out, "mentioned in "+words.Count(n, "place"))
	}
	return strings.Join(out, "\n\n")
}

// unknownGame is the end of a description of something that the mod lacks.
func (a *Author) unknownGame() string {
	if a.base == nil {
		return " (the game's files are unknown: give them with `--base`)"
	}
	return " and not in the game's files"
}
