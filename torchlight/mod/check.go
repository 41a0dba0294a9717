package mod

import (
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/pak"
)

// Catalog lists the findings that Check can report for a mod in addition to those of [pak.Catalog].
var Catalog check.Catalog

var (
	foundCut = Catalog.Add("tl-mod-cut-off", check.Error,
		"The mod is cut off: its end, where the list of its files stands, is missing.",
		"Fetch it again; `trowel extract -k` saves the files that are there.")
	foundOldHeader = Catalog.Add("tl-mod-old-header", check.Info,
		"The header is of a version before 4, as the first editors wrote it.",
		"Nothing; packing without the sidecar makes it version 4.")
	foundGap = Catalog.Add("tl-mod-gap", check.Warning,
		"Bytes stand between the header and the archive.",
		"Extract, delete .trowel.json, pack: they are dropped.")
	foundFlags = Catalog.Add("tl-mod-flags", check.Info,
		"The header has flags that no known mod has.",
		"Nothing: what they mean is not known.")
	foundRequiredHash = Catalog.Add("tl-mod-required-hash", check.Warning,
		"The mod requires others, but has no hash of them; or has a hash, but requires none.",
		"Publish it with the game's editor: how the hash is made is not known.")
	foundUnlisted = Catalog.Add("tl-mod-removed-unlisted", check.Warning,
		"The manifest takes away a file that the header does not list.",
		"List it under REMOVE_FILES in MOD.DAT, or take its record out.")
	foundUnrecorded = Catalog.Add("tl-mod-removed-unrecorded", check.Warning,
		"The header takes away a file for which the manifest has no record.",
		"Extract, delete .trowel.json, pack: records are made for all of them.")
	foundRemovedName = Catalog.Add("tl-mod-removed-name", check.Error,
		"The path of a removed file is not upper-case below MEDIA/: the game finds no such file.",
		"Correct it in MOD.DAT.")
)

// Check reports everything that is wrong with the mod, its archive and its manifest.
func (m *Mod) Check(sink check.Sink) { m.CheckSeeing(nil, sink) }

// CheckSeeing works like Check and also calls see as [pak.Reader.CheckSeeing] does.
func (m *Mod) CheckSeeing(see func(f *pak.File, content []byte), sink check.Sink) {
	sink = pak.AtFiles(sink)
	if m.cut != nil {
		sink.Add(foundCut, "", m.size, "%v", m.cut)
		return // nothing of it has its regular form
	}
	h := m.Header
	if h.Version != LastVersion {
		sink.Add(foundOldHeader, "", 0, "the header is of version %d", h.Version)
	}
	if n := int64(h.DataOffset) - m.length; n > 0 {
		sink.Add(foundGap, "", m.length, "%d bytes stand between header and archive", n)
	}
	if h.Flags != 0 {
		sink.Add(foundFlags, "", -1, "the flags are %#x", h.Flags)
	}
	if (h.RequiredHash != 0) != (len(h.Required) > 0) {
		sink.Add(foundRequiredHash, "", -1, "%d required mods, and a hash of %016x", len(h.Required), h.RequiredHash)
	}
	for _, p := range h.Removed {
		if p != strings.ToUpper(p) || !strings.HasPrefix(p, "MEDIA/") {
			sink.Add(foundRemovedName, p, -1, "no file of the game has such a path")
		}
		if f := m.Archive.Find(p); f == nil || !f.Removed() {
			sink.Add(foundUnrecorded, p, -1, "the manifest has no record for this removed file")
		}
	}
	listed := slices.Sorted(slices.Values(h.Removed))
	for _, f := range m.Archive.Files() {
		if _, ok := slices.BinarySearch(listed, f.Path); f.Removed() && !ok {
			sink.Add(foundUnlisted, f.Path, -1, "the header does not list this removed file")
		}
	}
	m.Archive.CheckSeeing(see, sink)
}
