package modedit

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/text"
)

// InfoField is a field of a mod's header.
type InfoField string

// The fields of a mod's header.
const (
	Title       InfoField = "title"
	Author      InfoField = "author"
	Description InfoField = "description"
	Website     InfoField = "website"
	Download    InfoField = "download" // URL of a download
	Version     InfoField = "version"  // of the mod, 0 to 65535; MOD.DAT has one less
	ID          InfoField = "id"       // identifies the mod in the game and in saved games
)

// NewID is a value for ID: a new ID that no other mod has.
const NewID = "new"

// infoKeys are the keys of the fields in MOD.DAT.
var infoKeys = map[InfoField]string{
	Title: "NAME", Author: "AUTHOR", Description: "DESCRIPTION", Website: "WEBSITE", Download: "DOWNLOAD_URL",
	Version: "VERSION", ID: "MOD_ID",
}

// errNoHeader is the error for archives and files, which have no header.
var errNoHeader = errors.New("only a mod has a header")

// SetInfo changes a field of the mod's header.
func (e *Editor) SetInfo(field InfoField, value string) error {
	h := e.header
	if h == nil {
		return errNoHeader
	}
	texts := map[InfoField]*string{Title: &h.Title, Author: &h.Author, Description: &h.Description,
		Website: &h.Website, Download: &h.DownloadURL}
	var was string
	switch in := texts[field]; {
	case in != nil:
		was, *in = *in, value
	case field == Version:
		v, err := strconv.ParseUint(value, 10, 16)
		if err != nil {
			return fmt.Errorf("expected a version from 0 to 65535, not %q", value)
		}
		was, h.ModVersion = strconv.Itoa(int(h.ModVersion)), uint16(v)
		if h.Version == 1 {
			return errors.New("the list of versions in a header of version 1 cannot be changed")
		}
	case field == ID:
		id, err := strconv.ParseInt(value, 10, 64)
		if value == NewID {
			id, err = e.fresh("mod", h.ID, map[int64]bool{h.ID: true}), nil
		}
		if err != nil {
			return fmt.Errorf("expected a number or %q, not %q", NewID, value)
		}
		was, h.ID = strconv.FormatInt(h.ID, 10), id
		value = strconv.FormatInt(id, 10)
	default:
		return fmt.Errorf("a mod has no field %s", field)
	}
	if was != value {
		e.named = true
		e.Report(check.Change{What: fmt.Sprintf("%s: %s became %s", field, shown(was), shown(value)), Count: 1})
	}
	return nil
}

// Hide makes the mod remove a file of the game.
func (e *Editor) Hide(name string) error {
	name, at, err := e.removed(name)
	switch {
	case err != nil:
		return err
	case at >= 0:
		return nil
	case !strings.HasPrefix(name, "MEDIA/"):
		return fmt.Errorf("%s: files of the game are in MEDIA/", name)
	case e.find(name) != nil:
		return fmt.Errorf("%s: the file is in the mod: delete it there first", name)
	}
	e.header.Removed = append(e.header.Removed, name)
	e.Report(check.Change{Path: name, What: "removed from the game", Count: 1, Unit: "files"})
	e.named = true
	return nil
}

// Unhide makes the mod no longer remove a file of the game, see [Editor.Hide].
func (e *Editor) Unhide(name string) error {
	name, at, err := e.removed(name)
	if err != nil {
		return err
	}
	if at < 0 {
		return &fault.NameError{Kind: "hidden file", Name: name, Names: e.header.Removed}
	}
	e.header.Removed = slices.Delete(e.header.Removed, at, at+1)
	e.Report(check.Change{Path: name, What: "no longer removed from the game", Count: 1, Unit: "files"})
	e.named = true
	return nil
}

// removed returns the full name of a file of the game, and its index in the removed files of the header, or -1.
func (e *Editor) removed(name string) (string, int, error) {
	if e.header == nil {
		return "", -1, errNoHeader
	}
	name = gameName(name)
	return name, slices.IndexFunc(e.header.Removed, func(s string) bool { return gameName(s) == name }), nil
}

// modDat returns the MOD.DAT of the folder after all changes. Its other contents are preserved.
func (e *Editor) modDat(name string) ([]byte, error) {
	data, err := fs.ReadFile(e.folder, name)
	if err != nil {
		return nil, err
	}
	return text.Edit(data, func(root *text.Node) error {
		before, err := mod.HeaderOf(root, nil)
		if err != nil {
			return err
		}
		was, now := before.ModDat(), e.header.ModDat()
		for _, key := range infoKeys {
			old, had := was.Get(key)
			value, has := now.Get(key)
			if old == value && had == has {
				continue
			}
			if p := root.Property(key); p != nil {
				p.Value = value
			} else if p := now.Property(key); p != nil {
				root.Items = slices.Insert(root.Items, 0, text.Item(p))
			}
		}
		const group = "REMOVE_FILES"
		if slices.Equal(before.Removed, e.header.Removed) {
			return nil
		}
		root.Items = slices.DeleteFunc(root.Items, func(it text.Item) bool {
			n, ok := it.(*text.Node)
			return ok && strings.EqualFold(n.Name, group)
		})
		if n := now.Child(group); n != nil {
			root.Items = append(root.Items, n)
		}
		return nil
	})
}

// fresh returns a number that is not in taken. It depends only on its purpose, the old number and the mod, so that a
// dry run reports the same number, and two mods do not give the same number to copies of one file.
func (e *Editor) fresh(what string, was int64, taken map[int64]bool) int64 {
	seed := what + "\n" + strconv.FormatInt(was, 10)
	if e.header != nil {
		seed += "\n" + strconv.FormatInt(e.header.ID, 10) + "\n" + e.header.Title
	}
	for i := 0; ; i++ {
		id := digest(seed, i) & math.MaxInt64
		if id > 0 && !taken[id] {
			return id
		}
	}
}
