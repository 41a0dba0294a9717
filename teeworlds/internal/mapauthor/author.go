// Package mapauthor answers editors about the text files of folders of Teeworlds and DDNet maps, and about rules of
// automappers: what is wrong with them, what tiles and settings mean, where parts are defined and mentioned, and what
// can be written.
package mapauthor

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

const (
	fileMap      = "map.json"
	fileSettings = "settings.cfg"
	fileOrder    = "order.txt"
)

// Author answers for the folder of a map, or for a folder with a single file of rules. It keeps nothing: a map has few
// files.
type Author struct{ fsys fs.FS }

// Open returns the author for a folder.
func Open(fsys fs.FS) *Author { return &Author{fsys} }

// Index returns the number of text files.
func (a *Author) Index(ctx context.Context) (n int, err error) {
	err = fs.WalkDir(a.fsys, ".", func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isText(at) {
			n++
		}
		return ctx.Err()
	})
	return n, err
}

// Update does nothing: the author reads files when it needs them.
func (a *Author) Update(context.Context, string) error { return nil }

// isText reports whether a file of the folder is a text that people edit.
func isText(at string) bool {
	ext := path.Ext(at)
	return ext == ".json" && path.Base(at)[0] != '.' || ext == ".txt" || ext == ".cfg" || ext == automap.Extension
}

// read returns the text of a file, or "" if it cannot be read.
func (a *Author) read(at string) string {
	data, err := fs.ReadFile(a.fsys, at)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

// Checks reports whether Check returns findings of a kind: it returns all.
func (a *Author) Checks(string) bool { return true }

// Check returns the problems of one file.
func (a *Author) Check(ctx context.Context, at string) ([]format.Problem, error) {
	if path.Ext(at) == automap.Extension || !a.isMap() {
		return a.checkRules(at), nil
	}
	list, err := a.checkMap(ctx)
	return slices.DeleteFunc(list, func(p format.Problem) bool { return p.Over.Path != at && !(p.Over.Path == "" && at == fileMap) }), err
}

// CheckAll returns the problems of the folder. It needs no other check: it finds everything, with places.
func (a *Author) CheckAll(ctx context.Context, _ func(context.Context, check.Sink) error) ([]format.Problem, error) {
	if !a.isMap() {
		return nil, nil // Check finds everything in a file of rules
	}
	return a.checkMap(ctx)
}

// isMap reports whether the folder is that of a map.
func (a *Author) isMap() bool {
	_, err := fs.Stat(a.fsys, fileMap)
	return err == nil
}

// checkRules returns the problems of a file of rules.
func (a *Author) checkRules(at string) (list []format.Problem) {
	data, err := fs.ReadFile(a.fsys, at)
	if err != nil {
		return nil
	}
	parse := automap.ParseRules
	if path.Ext(at) == automap.ExtensionJSON {
		parse = automap.ParseJSON
	}
	parse(data, func(f check.Finding) {
		over := format.Span{Path: at}
		for _, place := range f.At {
			if line, ok := place.(check.Line); ok {
				over = format.LineSpan(at, string(data), line.Line, line.Column)
			}
		}
		list = append(list, format.Problem{Finding: f, Over: over})
	})
	return list
}

// checkMap returns the problems of the map.
func (a *Author) checkMap(ctx context.Context) (list []format.Problem, err error) {
	p := placer{author: a, texts: make(map[string]string)}
	names, errs := mapdir.ReadEach(a.fsys, func(file, message string) {
		over := p.file(file)
		list = append(list, format.Problem{Finding: finding(format.Build, message), Over: over})
	})
	for _, err := range errs {
		if e := (*fault.TextError)(nil); errors.As(err, &e) {
			message := e.Msg
			if e.Path != "" {
				message = e.Path + ": " + message
			}
			list = append(list, format.Problem{Finding: finding(format.Unbuildable, message), Over: p.token(e.File, e.Line, e.Column)})
			continue
		}
		list = append(list, format.Problem{Finding: finding(format.Unbuildable, err.Error())})
	}
	if len(errs) > 0 {
		return list, ctx.Err()
	}
	p.names = names
	for _, f := range check.Collect(names.Map().Check) {
		list = append(list, p.problems(f)...)
	}
	return list, ctx.Err()
}

func finding(k *check.Kind, message string) check.Finding {
	return check.Finding{ID: k.ID, Severity: k.Severity, Offset: -1, Message: message}
}

// placer finds the places of findings in texts.
type placer struct {
	author *Author
	names  *mapdir.Names
	texts  map[string]string
}

func (p *placer) text(at string) string {
	text, known := p.texts[at]
	if !known {
		text = p.author.read(at)
		p.texts[at] = text
	}
	return text
}

// file returns the place of a file: of its name in the list next to it if it is not a text.
func (p *placer) file(at string) format.Span {
	if at == "" || strings.HasSuffix(at, "/") {
		return format.Span{}
	}
	if isText(at) {
		return format.LineSpan(at, p.text(at), 1, 0)
	}
	list := path.Join(path.Dir(at), fileOrder)
	name := strings.TrimSuffix(path.Base(at), path.Ext(at))
	return lineWith(list, p.text(list), name)
}

// lineWith returns the span of the line of a list that has a name, or of its first line.
func lineWith(list, text, name string) format.Span {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.TrimSpace(line) == name {
			return format.LineSpan(list, text, n, 0)
		}
	}
	return format.LineSpan(list, text, 1, 0)
}

// token returns the span of the value at a place of a text: a string, a number or a cell. Without a column it is the line.
func (p *placer) token(at string, line, column int) format.Span {
	if at == "" || !isText(at) {
		return p.file(at)
	}
	text := p.text(at)
	s := format.LineSpan(at, text, line, column)
	row := rowOf(text, s.From.Line)
	if column == 0 || s.From.Column >= len(row) {
		return s
	}
	rest := row[s.From.Column:]
	end := len(rest)
	if rest[0] == '"' && path.Ext(at) == ".json" {
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == '"' {
				end = i + 1
				break
			}
		}
	} else if i := strings.IndexAny(rest, " \t,]}"); i > 0 {
		end = i
	}
	s.To.Column = s.From.Column + min(end, len(strings.TrimRight(rest, " \t\r")))
	return s
}

// rowOf returns a line of a text, from 0, without its end.
func rowOf(text string, n int) string {
	for range n {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			return ""
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// maxPlaces is the number of places of a finding that are problems of their own.
const maxPlaces = 50

// problems returns the problems for a finding: one for each of its places.
func (p *placer) problems(f check.Finding) (list []format.Problem) {
	seen := make(map[format.Span]bool)
	for _, at := range f.At {
		var place twmap.Place
		switch at := at.(type) {
		case twmap.Place:
			place = at
		case *twmap.Place:
			place = *at
		default:
			continue
		}
		over := p.span(f, place)
		if !seen[over] && len(list) < maxPlaces {
			seen[over] = true
			list = append(list, format.Problem{Finding: f, Over: over})
		}
	}
	if len(list) == 0 {
		list = []format.Problem{{Finding: f}}
	}
	return list
}

// span returns the span of a place of a map.
func (p *placer) span(f check.Finding, place twmap.Place) format.Span {
	line, ok := p.names.Line(place)
	if !ok || !isText(line.Path) {
		return p.file(line.Path)
	}
	if place.X >= 0 {
		from, to := cellSpan(rowOf(p.text(line.Path), line.Line-1), int(place.X))
		cell := spanIn(line.Line-1, from, to)
		cell.Path = line.Path
		return cell
	}
	s := format.LineSpan(line.Path, p.text(line.Path), max(line.Line, 1), 0)
	if line.Path == fileSettings {
		narrow(&s, rowOf(p.text(line.Path), s.From.Line), f)
	}
	return s
}

// cellSpan returns the columns of a cell in the text of a row.
func cellSpan(row string, x int) (from, to int) {
	for at := 0; ; x-- {
		at += len(row[at:]) - len(strings.TrimLeft(row[at:], " \t"))
		end := len(row)
		if i := strings.IndexAny(row[at:], " \t"); i >= 0 {
			end = at + i
		}
		if x == 0 || end == len(row) {
			return at, end
		}
		at = end
	}
}

// narrow reduces the span of a setting to the word that a finding is about.
func narrow(s *format.Span, row string, f check.Finding) {
	first := true
	for _, word := range wordsOf(row) {
		text := row[word[0]:word[1]]
		about := strings.Contains(f.Message, `"`+text+`"`) || strings.Contains(f.Message, " "+text+": ")
		if first && (f.ID == "tw-map-setting-arguments" || f.ID == "tw-map-setting-other") {
			about = true
		}
		first = false
		if about {
			s.From.Column, s.To.Column = word[0], word[1]
			return
		}
	}
}

// wordsOf returns the columns of the words of a line.
func wordsOf(row string) (words [][2]int) {
	for at := 0; at < len(row); {
		at += len(row[at:]) - len(strings.TrimLeft(row[at:], " \t;"))
		end := len(row)
		if i := strings.IndexAny(row[at:], " \t;"); i >= 0 {
			end = at + i
		}
		if end > at {
			words = append(words, [2]int{at, end})
		}
		at = end
	}
	return words
}
