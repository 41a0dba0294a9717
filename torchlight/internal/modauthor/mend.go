package modauthor

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// meant is a proposal in the message of a finding.
var meant = regexp.MustCompile(`did you mean "([^"]+)"`)

// Mends returns the ways to correct a problem.
func (a *Author) Mends(_ context.Context, p format.Problem) ([]format.Mend, error) {
	content, err := a.content(p.Over.Path)
	if err != nil {
		return nil, nil // such as a file that is not in one encoding
	}
	row, ok := lineOf(content, p.Over.From.Line)
	if !ok {
		return nil, nil
	}
	old := row[min(p.Over.From.Column, len(row)):]
	if p.Over.To.Line == p.Over.From.Line {
		old = row[min(p.Over.From.Column, len(row)):min(max(p.Over.To.Column, p.Over.From.Column), len(row))]
	}
	if !own[p.ID] && p.ID != "tl-mod-no-guid" && !strings.Contains(strings.ToUpper(p.Message), strings.ToUpper(old)) {
		return nil, nil // the text has changed since the mod was checked
	}
	replace := func(title, by string) format.Mend {
		return format.Mend{Title: title, Edits: []format.Edit{{Span: p.Over, Text: by}}}
	}
	switch p.ID {
	case "tl-source-unreadable", "tl-text-syntax":
		return a.repair(p.Over.Path, content)
	case "tl-text-broken-tag":
		return a.renameTag(p.Over.Path, content, row, p.Over), nil
	case "tl-text-value", "tl-text-number", "tl-layout-text-value", "tl-layout-text-number":
		if v, ok := readAs(row); ok && v != old {
			return []format.Mend{replace(fmt.Sprintf("Write %s, as the game reads it", v), v)}, nil
		}
	case "tl-layout-unknown-property":
		_, props := around(content, p.Over.From.Line)
		d := descriptorOf(props)
		if d == nil {
			return nil, nil
		}
		var names []string
		for _, info := range d.Properties {
			names = append(names, info.Name)
		}
		if name := nearest(strings.ToUpper(old), names); name != "" {
			return []format.Mend{replace("Rename to "+name, name)}, nil
		}
	case "tl-mod-missing-file", "tl-mod-likely-missing-file", "tl-mod-missing-basefile":
		return a.otherFiles(p.Over.Path, old, replace), nil
	case "tl-mod-missing-icon", "tl-mod-likely-missing-icon":
		var names []string
		a.mu.RLock()
		for _, x := range []*index{a.mod, a.game} {
			x.owners(func(s symbol) bool { return s.kind == kindSprite }, func(s symbol, _ *file) { names = append(names, s.name) })
		}
		a.mu.RUnlock()
		if name := nearest(strings.ToUpper(old), names); name != "" {
			return []format.Mend{replace("Use the sprite "+name, name)}, nil
		}
	case "tl-mod-duplicate-guid", "tl-mod-duplicate-unique-guid":
		if _, clean := text.ParseInt64(old); clean {
			return []format.Mend{replace("Give it a new GUID", a.freshGUID(p.Over.Path))}, nil
		}
	case "tl-mod-no-guid":
		key := "UNIT_GUID"
		if strings.Contains(p.Message, "UNIQUE_GUID") {
			key = "UNIQUE_GUID"
		}
		end := format.Spot{Line: p.Over.From.Line, Column: len(row)}
		line := fmt.Sprintf("\n\t<INTEGER64>%s:%s", key, a.freshGUID(p.Over.Path))
		if strings.Contains(content, "\r\n") {
			line = "\r" + line
		}
		edit := format.Edit{Span: format.Span{Path: p.Over.Path, From: end, To: end}, Text: line}
		return []format.Mend{{Title: "Add a " + key, Edits: []format.Edit{edit}}}, nil
	}
	if m := meant.FindStringSubmatch(p.Message); m != nil && old != "" {
		return []format.Mend{replace("Replace by "+m[1], m[1])}, nil
	}
	return nil, nil
}

// repair repairs the tags of a text.
func (a *Author) repair(at, content string) ([]format.Mend, error) {
	data, err := fs.ReadFile(a.fsys, at)
	if err != nil {
		return nil, err
	}
	fixed, done, err := text.Repair(data)
	if err != nil || len(done) == 0 {
		return nil, nil // it cannot be repaired
	}
	after, err := text.ToUTF8(fixed)
	if err != nil {
		return nil, nil
	}
	title := "Repair " + words.Count(len(done), "line") + " of the file"
	return []format.Mend{{Title: title, Edits: differences(at, content, string(after))}}, nil
}

// renameTag gives a key or node the name whose hash it has.
func (a *Author) renameTag(at, content, row string, over format.Span) []format.Mend {
	l := parseLine(row)
	tag := l.key
	if l.open {
		tag = l.name
	}
	name, ok := a.names().Broken(tag.of(row))
	if !ok {
		return nil
	}
	n := over.From.Line
	edits := []format.Edit{{Span: tag.span(at, n), Text: name}}
	if l.open {
		depth := 0
		for i, row := range strings.Split(content, "\n") {
			if i < n {
				continue
			}
			switch l := parseLine(row); {
			case l.open:
				depth++
			case l.close:
				if depth--; depth == 0 {
					edits = append(edits, format.Edit{Span: l.name.span(at, i), Text: name})
					return []format.Mend{{Title: "Rename to " + name, Edits: edits}}
				}
			}
		}
		return nil
	}
	return []format.Mend{{Title: "Rename to " + name, Edits: edits}}
}

// readAs returns the value of a property as the game reads it.
func readAs(row string) (string, bool) {
	l := parseLine(row)
	if !l.property || !l.colon {
		return "", false
	}
	value := l.value.of(row)
	switch t, _ := text.ParseType(l.typ.of(row)); t {
	case text.Integer:
		v, _ := text.ParseInt(value)
		return strconv.FormatInt(int64(v), 10), true
	case text.Integer64:
		v, _ := text.ParseInt64(value)
		return strconv.FormatInt(v, 10), true
	case text.Unsigned:
		v, _ := text.ParseUint(value)
		return strconv.FormatUint(uint64(v), 10), true
	case text.Float:
		v, _ := text.ParseFloat(value)
		return text.FormatFloat(v, text.Exact), true
	case text.Double:
		v, _ := text.ParseDouble(value)
		return text.FormatDouble(v, text.Exact), true
	case text.Bool:
		v, _ := text.ParseBool(value)
		return strconv.FormatBool(v), true
	}
	return "", false
}

// maxOffers is the number of files that are offered for a missing one.
const maxOffers = 5

// otherFiles offers files with the name of a missing one in other folders, or a similar name in its folder.
func (a *Author) otherFiles(at, old string, replace func(title, by string) format.Mend) (mends []format.Mend) {
	missing := inMedia(old)
	var same, near []string
	a.mu.RLock()
	for _, x := range []*index{a.mod, a.game} {
		for game := range x.byGame {
			switch {
			case game == moddir.GamePath(at): // a file cannot refer to itself
			case path.Base(game) == path.Base(missing):
				same = append(same, game)
			case path.Dir(game) == path.Dir(missing) && path.Ext(game) == path.Ext(missing):
				near = append(near, game)
			}
		}
	}
	a.mu.RUnlock()
	slices.Sort(same)
	if best := nearest(missing, near); best != "" {
		same = append([]string{best}, same...)
	}
	same = slices.Compact(same)
	for _, game := range same[:min(len(same), maxOffers)] {
		if !strings.HasPrefix(strings.ToUpper(old), "MEDIA") {
			game = strings.TrimPrefix(game, "MEDIA/")
		}
		game = styled(game, old)
		mends = append(mends, replace("Refer to "+game, game))
	}
	return mends
}

// styled writes a path in the case and with the slashes of another.
func styled(to, like string) string {
	if strings.Contains(like, `\`) {
		to = strings.ReplaceAll(to, "/", `\`)
	}
	if like == strings.ToLower(like) {
		return strings.ToLower(to)
	}
	return to
}

// freshGUID returns a GUID that neither the mod nor the game has, always the same for a file.
func (a *Author) freshGUID(at string) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for i := 0; ; i++ {
		sum := sha256.Sum256([]byte(at + "\n" + strconv.Itoa(i)))
		name := strconv.FormatInt(int64(binary.LittleEndian.Uint64(sum[:])), 10)
		_, inMod := a.mod.ids[symbol{kindGUID, name}]
		_, inGame := a.game.ids[symbol{kindGUID, name}]
		if !inMod && !inGame && len(name) > 10 {
			return name
		}
	}
}

// nearest returns the name with the fewest different letters, or "" if none is similar.
func nearest(name string, names []string) string {
	best, least := "", max(len(name)/4, 1)+1
	for _, other := range names {
		if d := words.Distance(name, other, least+1); d < least || d == least && best != "" && other < best {
			best, least = other, d
		}
	}
	return best
}
