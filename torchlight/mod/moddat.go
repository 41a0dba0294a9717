package mod

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// MOD.DAT is the file from which the editor creates the header of a mod. Its root is [MOD]; these are its properties
// and groups.
const (
	rootName       = "MOD"
	keyAuthor      = "AUTHOR"
	keyName        = "NAME"
	keyDescription = "DESCRIPTION"
	keyID          = "MOD_ID"
	keyWebsite     = "WEBSITE"
	keyDownload    = "DOWNLOAD_URL"
	keyVersion     = "VERSION"
	groupRemove    = "REMOVE_FILES"
	keyFile        = "FILE"
	groupRequired  = "REQUIRED_MODS"
	keyRequiredID  = "ID"
)

// texts returns the texts of the header by their keys in MOD.DAT.
func (h *Header) texts() map[string]*string {
	return map[string]*string{
		keyName: &h.Title, keyAuthor: &h.Author, keyDescription: &h.Description, keyWebsite: &h.Website, keyDownload: &h.DownloadURL,
	}
}

// oneLine replaces line breaks, because a property must be one line.
func oneLine(s string) string { return lineBreaks.Replace(s) }

// removedPath returns the path of a removed file as the editor writes it into the header: in upper case, which the game
// requires.
func removedPath(s string) string { return strings.ToUpper(oneLine(s)) }

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ")

// ModDat returns the MOD.DAT from which the editor would create the header. Texts of several lines become one line.
// VERSION is one less than the version of the mod, because the editor increments it when it publishes a mod.
func (h *Header) ModDat() *text.Node {
	n := &text.Node{Name: rootName}
	texts := h.texts()
	add := func(key string) {
		if s := oneLine(*texts[key]); s != "" || key == keyName {
			n.Add(text.String, key, s)
		}
	}
	add(keyAuthor)
	add(keyName)
	add(keyDescription)
	n.Add(text.Integer64, keyID, strconv.FormatInt(h.ID, 10))
	add(keyWebsite)
	add(keyDownload)
	n.Add(text.Integer, keyVersion, strconv.Itoa(int(h.ModVersion)-1))
	if len(h.Removed) > 0 {
		group := n.AddNode(groupRemove)
		for _, path := range h.Removed {
			group.Add(text.String, keyFile, oneLine(path))
		}
	}
	if len(h.Required) > 0 {
		group := n.AddNode(groupRequired)
		for _, q := range h.Required {
			group.Add(text.Integer64, keyRequiredID, strconv.FormatInt(q.ID, 10))
		}
	}
	return n
}

// HeaderOf returns the header that a MOD.DAT describes. Missing values come from the residue k; if k is nil they are as
// in [NewHeader]. Names and versions of required mods are only in the residue, and so is their hash, which is 0
// otherwise: its algorithm is unknown. Paths of removed files are in upper case.
func HeaderOf(n *text.Node, k *HeaderResidue) (*Header, error) {
	if !strings.EqualFold(n.Name, rootName) {
		return nil, fmt.Errorf("mod: expected a root of the name MOD, found %q", n.Name)
	}
	h := NewHeader()
	for key, s := range h.texts() {
		*s, _ = n.Get(key)
	}
	if s, ok := n.Get(keyID); ok {
		id, clean := text.ParseInt64(s)
		if !clean {
			return nil, badValue(keyID, "a number", s)
		}
		h.ID = id
	}
	version := int32(0)
	if s, ok := n.Get(keyVersion); ok {
		var clean bool
		if version, clean = text.ParseInt(s); !clean || version < -1 || version > 65534 {
			return nil, badValue(keyVersion, "a number from -1 to 65534", s)
		}
	}
	h.ModVersion = uint16(version + 1)
	for group := range n.Children() {
		isRemove := strings.EqualFold(group.Name, groupRemove)
		if !isRemove && !strings.EqualFold(group.Name, groupRequired) {
			continue
		}
		for p := range group.Properties() {
			switch {
			case isRemove && !strings.EqualFold(p.Key, keyFile):
				return nil, badValue(groupRemove, "the key "+keyFile, p.Key)
			case isRemove:
				h.Removed = append(h.Removed, removedPath(p.Value))
			case strings.EqualFold(p.Key, keyRequiredID):
				id, clean := text.ParseInt64(p.Value)
				if !clean {
					return nil, badValue(groupRequired+"."+keyRequiredID, "a number", p.Value)
				}
				h.Required = append(h.Required, Required{ID: id})
			}
		}
	}
	if k != nil {
		k.apply(h)
	}
	return h, nil
}

func badValue(key, want, got string) error {
	return fmt.Errorf("mod: %s: expected %s, found %q", key, want, got)
}

// A HeaderResidue holds everything about a header that MOD.DAT does not contain. A value that depends on MOD.DAT no
// longer applies when MOD.DAT has changed.
type HeaderResidue struct {
	Version      *uint16            `json:"version,omitempty"`
	Game         *GameVersion       `json:"game,omitempty"`
	Releases     []Release          `json:"releases,omitempty"`
	Flags        uint32             `json:"flags,omitempty"`
	RequiredHash uint64             `json:"requiredHash,omitempty"` // applies only to the list in Required
	Required     []RequiredResidue  `json:"required,omitempty"`
	Texts        map[string]OddText `json:"texts,omitempty"`   // texts of several lines, by their key in MOD.DAT
	Removed      []pak.ResidueName  `json:"removed,omitempty"` // all paths, if one differs from the form that MOD.DAT gives
}

// RequiredResidue holds what MOD.DAT does not contain about a required mod.
type RequiredResidue struct {
	ID      int64           `json:"id"`
	Name    pak.ResidueName `json:"name,omitempty"`
	Version uint16          `json:"version,omitempty"`
}

// OddText is a text that MOD.DAT cannot hold exactly. It applies only while MOD.DAT has the text From.
type OddText struct {
	From pak.ResidueName `json:"from"`
	Is   pak.ResidueName `json:"is"`
}

// Residue returns everything about the header that MOD.DAT does not contain.
func (h *Header) Residue() *HeaderResidue {
	k := &HeaderResidue{Releases: h.Releases, Flags: h.Flags, RequiredHash: h.RequiredHash}
	if h.Version != LastVersion {
		k.Version = &h.Version
	}
	if h.Game != LastGame {
		k.Game = &h.Game
	}
	for _, q := range h.Required {
		k.Required = append(k.Required, RequiredResidue{q.ID, pak.ResidueName(q.Name), q.Version})
	}
	for key, s := range h.texts() {
		if from := oneLine(*s); from != *s {
			if k.Texts == nil {
				k.Texts = make(map[string]OddText)
			}
			k.Texts[key] = OddText{pak.ResidueName(from), pak.ResidueName(*s)}
		}
	}
	if slices.ContainsFunc(h.Removed, func(s string) bool { return removedPath(s) != s }) {
		for _, path := range h.Removed {
			k.Removed = append(k.Removed, pak.ResidueName(path))
		}
	}
	return k
}

// apply adds to a header what its MOD.DAT did not contain.
func (k *HeaderResidue) apply(h *Header) {
	if k.Version != nil {
		h.Version = *k.Version
	}
	if k.Game != nil {
		h.Game = *k.Game
	}
	h.Flags = k.Flags
	if len(k.Releases) == int(h.ModVersion)+1 {
		h.Releases = k.Releases
	}
	known := make(map[int64]RequiredResidue)
	same := len(k.Required) == len(h.Required)
	for i, q := range k.Required {
		known[q.ID] = q
		same = same && q.ID == h.Required[i].ID
	}
	for i := range h.Required {
		q := known[h.Required[i].ID]
		if same { // an ID may occur twice
			q = k.Required[i]
		}
		h.Required[i].Name, h.Required[i].Version = string(q.Name), q.Version
	}
	if same {
		h.RequiredHash = k.RequiredHash
	}
	texts := h.texts()
	for key, t := range k.Texts {
		if s := texts[key]; s != nil && *s == string(t.From) {
			*s = string(t.Is)
		}
	}
	if slices.EqualFunc(k.Removed, h.Removed, func(is pak.ResidueName, from string) bool { return removedPath(string(is)) == from }) {
		for i := range h.Removed {
			h.Removed[i] = string(k.Removed[i])
		}
	}
}
