package modedit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/text"
)

// Text is a translatable text of a mod: a value of type TRANSLATE in a data file or in an object of a layout.
type Text struct {
	Path        string // path of the file
	Node        string // place of the value in the file, for example SKILL.DISPLAYNAME
	Value       string // with line feeds in place of \n in the file
	Translation string // "" if there is none
}

// translations is the folder of the game's translations, with a subfolder for each language.
const translations = "MEDIA/TRANSLATIONS/"

// Texts returns the texts of the mod, in the order of its files, with their translations into a language, for example
// DE, as far as the mod or the game's files have them, then the texts of the game that only the mod translates. No
// translations are returned if language is "", except for those of a single file that is a list of translations.
func (e *Editor) Texts(ctx context.Context, language string) ([]Text, error) {
	var isList func(name string) bool
	known := make(map[string]string)
	if language != "" {
		var err error
		if isList, _, err = e.lists(language); err != nil {
			return nil, err
		}
		known = e.translationsOf(isList)
	}
	var texts []Text
	err := LookAt(ctx, e, "**", Choice{}, func(n *Node) (found []Text) {
		if !isOriginal(n.File) {
			return nil
		}
		for p := range n.Properties() {
			if isText(p) {
				value := withLines(p.Value)
				found = append(found, Text{n.File, n.at.name + "." + p.Key, value, known[value]})
			}
		}
		return found
	}, func(t Text) error {
		texts = append(texts, t)
		return nil
	})
	if language == "" && !e.isSingle() {
		return texts, err
	}
	has := make(map[string]bool)
	for _, t := range texts {
		has[t.Value] = true
	}
	for _, f := range e.matching(func(name string) bool { return isTree(name) && (e.isSingle() || isList(name)) }) {
		root, unread := e.Tree(f.path)
		if unread != nil || e.isSingle() && !translation.Is(root) {
			continue // translationsOf has reported it
		}
		for p := range translation.Pairs(root) {
			if value := withLines(p.Original); !has[value] && utf8.ValidString(value) {
				has[value] = true
				texts = append(texts, Text{f.path, p.Place, value, withLines(p.Translation)})
			}
		}
	}
	return texts, err
}

// isSingle reports whether the editor has a single file.
func (e *Editor) isSingle() bool { return e.archive == nil && e.folder == nil }

// isOriginal reports whether a file may have texts to translate.
func isOriginal(name string) bool {
	return isTree(name) && !strings.HasPrefix(gameName(name), translations)
}

func isText(p *text.Property) bool {
	return p.Type == text.Translate && p.Value != "" && utf8.ValidString(p.Value)
}

// In files of the game, a line feed in a text is written as \n.
func withLines(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }
func inLine(s string) string    { return strings.ReplaceAll(s, "\n", `\n`) }

// languageDir returns the folder of a language.
func languageDir(language string) (string, error) {
	name := strings.ToUpper(language)
	if name == "" || strings.ContainsAny(name, `/\.:*?`) {
		return "", fmt.Errorf("%q is not a language: expected a code such as DE", language)
	}
	return translations + name + "/", nil
}

// lists returns a function that reports whether a file is a list of translations into a language: a data file in the folder
// of the language, or that which the file of the language names, such as TRANSLATIONFILE in MEDIA/TRANSLATIONS/DE.DAT. Named is
// the path of the latter if the mod has the file of the language, or "".
func (e *Editor) lists(language string) (is func(name string) bool, named string, err error) {
	dir, err := languageDir(language)
	if err != nil {
		return nil, "", err
	}
	var files []string
	file := strings.TrimSuffix(dir, "/") + ".DAT"
	root, unread := e.Tree(file)
	own := unread == nil
	if !own && e.Base != nil {
		root, unread = e.Base.Tree(file)
	}
	if unread == nil {
		for n := range root.All() {
			if value, _ := n.Get(translation.File); strings.TrimSpace(value) != "" {
				files = append(files, inherit.Path(value))
			}
		}
	}
	if own && len(files) > 0 {
		named = files[0]
	}
	return func(name string) bool {
		name = gameName(name)
		return isData(name) && strings.HasPrefix(name, dir) || slices.Contains(files, name)
	}, named, nil
}

// translationsIn yields the texts of a list with their translations.
func translationsIn(root *text.Node) iter.Seq2[string, string] {
	return func(yield func(value, translated string) bool) {
		for p := range translation.Pairs(root) {
			if !yield(withLines(p.Original), withLines(p.Translation)) {
				return
			}
		}
	}
}

// translationsOf returns the translations in lists by their texts.
func (e *Editor) translationsOf(isList func(name string) bool) map[string]string {
	known := make(map[string]string)
	note := func(root *text.Node) { maps.Insert(known, translationsIn(root)) }
	if e.Base != nil {
		for name := range e.Base.Files() {
			if isList(name) {
				if root, err := e.Base.Tree(name); err == nil {
					note(root)
				}
			}
		}
	}
	for _, f := range e.matching(isList) {
		root, err := e.Tree(f.path)
		if err != nil {
			e.Miss(f.path, fmt.Sprintf("left out, because it cannot be read: %v", err))
			continue
		}
		note(root)
	}
	return known
}

// Translate replaces texts by their translations. A translation with a file and a node applies to that place only,
// whose text must be the expected one; others apply to all places of the text. Texts without a translation, or with one
// that is already there, change nothing. Translate returns the number of changed values.
func (e *Editor) Translate(list []Text) (int, error) {
	everywhere, at, wanted, err := sorted(list)
	if err != nil {
		return 0, err
	}
	if len(wanted) == 0 {
		return 0, nil
	}
	files := e.matching(isOriginal)
	if single := e.matching(isTree); e.isSingle() && len(single) == 1 {
		if root, err := e.Tree(single[0].path); err == nil && translation.Is(root) {
			fresh, err := newer(list, maps.Collect(translationsIn(root)))
			if err != nil || len(fresh) == 0 {
				return 0, err
			}
			return e.addTo(single, fresh)
		}
	}
	found := make([]map[place]bool, len(files))
	index := make(map[*file]int, len(files))
	for i, f := range files {
		index[f], found[i] = i, make(map[place]bool)
	}
	n, err := e.each(files, func(f *file, root *text.Node) ([]check.Change, error) {
		t := changeCounts{file: f.path, unit: "texts"}
		for node, where := range new(chooser).nodes(root) {
			for p := range node.Properties() {
				if !isText(p) {
					continue
				}
				value := withLines(p.Value)
				here := place{gameName(f.path), where.name + "." + p.Key}
				now, ok := everywhere[value]
				if ok {
					found[index[f]][place{"", value}] = true
				} else if one, is := at[here]; is && (one.Value == value || one.Translation == value) {
					found[index[f]][here] = true
					now, ok = one.Translation, true
				}
				if ok && now != value {
					t.note(where, p.Key, p.Key+": "+shown(p.Value)+" became "+shown(inLine(now)))
					p.Value = inLine(now)
				}
			}
		}
		return t.changes(), nil
	})
	if err != nil {
		return n, err
	}
	all := make(map[place]bool)
	for _, m := range found {
		maps.Copy(all, m)
	}
	for _, w := range wanted {
		switch {
		case all[w]:
		case w.path == "":
			e.Miss("", fmt.Sprintf("no file contains %q, which is translated", shown(inLine(w.node))))
		default:
			e.Miss(w.path, w.node+" does not contain the translated text")
		}
	}
	return n, nil
}

// place is the place of a text, or, without a path, the text itself.
type place struct{ path, node string }

// sorted returns the translations by texts and by places.
func sorted(list []Text) (everywhere map[string]string, at map[place]Text, wanted []place, err error) {
	everywhere, at = make(map[string]string), make(map[place]Text)
	for _, t := range list {
		if t.Translation == "" || t.Translation == t.Value {
			continue
		}
		if strings.ContainsAny(t.Translation, "\r\x00") || strings.Contains(t.Translation, `\n`) && !strings.Contains(t.Value, `\n`) {
			return nil, nil, nil, fmt.Errorf("%q: expected a line feed, not a carriage return or \\n", shown(t.Translation))
		}
		p := place{gameName(t.Path), t.Node}
		if t.Path == "" {
			p = place{"", t.Value}
			if other, twice := everywhere[t.Value]; twice && other != t.Translation {
				return nil, nil, nil, fmt.Errorf("%q has two translations", shown(t.Value))
			}
			everywhere[t.Value] = t.Translation
		} else {
			at[p] = t
		}
		wanted = append(wanted, p)
	}
	return everywhere, at, wanted, nil
}

// AddTranslations adds translations to the file of a language, MEDIA/TRANSLATIONS/DE/..., which the game uses when it
// is set to that language; the texts themselves are not changed. The file is the first of the mod in that folder, or a
// new one named after the mod. AddTranslations returns the number of changed texts.
func (e *Editor) AddTranslations(language string, list []Text) (int, error) {
	if e.isSingle() {
		return 0, errSingle
	}
	isList, named, err := e.lists(language)
	if err != nil {
		return 0, err
	}
	dir, _ := languageDir(language) // lists has checked it
	fresh, err := newer(list, e.translationsOf(isList))
	if len(fresh) == 0 || err != nil {
		return 0, err
	}
	files := e.matching(func(name string) bool { return gameName(name) == named })
	if named == "" {
		files = e.matching(func(name string) bool { return extension(name) == ".DAT" && path.Dir(gameName(name))+"/" == dir })
	}
	if len(files) > 0 {
		return e.addTo(files[:1], fresh)
	}
	root := &text.Node{Name: translation.Root}
	translate(root, fresh)
	return len(fresh), e.Put(cmp.Or(named, dir+e.fileName()+".DAT"), text.Format(root))
}

// newer returns the translations that differ from the known ones, each once.
func newer(list []Text, known map[string]string) (fresh []Text, err error) {
	for _, t := range list {
		if t.Translation == "" || known[t.Value] == t.Translation {
			continue
		}
		if other, twice := find(fresh, t.Value); twice {
			if other != t.Translation {
				return nil, fmt.Errorf("%q has two translations", shown(t.Value))
			}
			continue
		}
		fresh = append(fresh, t)
	}
	return fresh, nil
}

// addTo adds translations to lists.
func (e *Editor) addTo(files []*file, fresh []Text) (int, error) {
	_, err := e.each(files, func(f *file, root *text.Node) ([]check.Change, error) {
		translate(root, fresh)
		return []check.Change{{Path: f.path, What: "translations", Count: int64(len(fresh)), Unit: "texts"}}, nil
	})
	return len(fresh), err
}

// translate puts translations into a list.
func translate(root *text.Node, fresh []Text) {
	nodes := make(map[string]*text.Node)
	for n := range root.Children() {
		from, _ := n.Get(translation.Original)
		nodes[from] = n
	}
	for _, t := range fresh {
		from, to := inLine(t.Value), inLine(t.Translation)
		node := nodes[from]
		if node == nil {
			node = root.AddNode(translation.Node)
			node.Add(text.String, translation.Original, from)
			nodes[from] = node
		}
		if p := node.Property(translation.Translation); p != nil {
			p.Value = to
		} else {
			node.Add(text.String, translation.Translation, to)
		}
	}
}

func find(list []Text, value string) (string, bool) {
	i := slices.IndexFunc(list, func(t Text) bool { return t.Value == value })
	if i < 0 {
		return "", false
	}
	return list[i].Translation, true
}

// fileName returns a file name derived from the name of the mod. A name of the game's own files would hide all texts of
// the game.
func (e *Editor) fileName() string {
	title := ""
	if e.header != nil {
		title = e.header.Title
	}
	title = strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		case r == ' ', r == '_', r == '-':
			return '_'
		}
		return -1
	}, strings.ToUpper(title))
	return cmp.Or(strings.Trim(title, "_"), "MOD") + "_STRINGS"
}
