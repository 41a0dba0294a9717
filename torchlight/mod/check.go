package mod

import (
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/pak"
)

// Catalog lists the findings that Check can report for a mod in addition to those of [pak.Catalog].
var Catalog check.Catalog

var (
	foundCut = Catalog.Add("tl-mod-cut-off", check.Error,
		"The mod is cut off: its end, which contains the list of files, is missing.",
		"Download the mod again; `trowel extract -k` saves the existing files.")
	foundOldHeader = Catalog.Add("tl-mod-old-header", check.Info,
		"The header has a version before 4, as written by the first editors.",
		"Nothing to do; packing without the sidecar writes version 4.")
	foundGap = Catalog.Add("tl-mod-gap", check.Warning,
		"There are bytes between the header and the archive.",
		"Extract, delete .trowel.json, pack: this removes the bytes.")
	foundFlags = Catalog.Add("tl-mod-flags", check.Info,
		"The header has flags that no known mod has.",
		"Nothing can be done: the meaning of the flags is unknown.")
	foundRequiredHash = Catalog.Add("tl-mod-required-hash", check.Warning,
		"The mod requires other mods but has no hash of them, or has a hash but requires no mods.",
		"Publish the mod with the game's editor: how to compute the hash is unknown.")
	foundUnlisted = Catalog.Add("tl-mod-removed-unlisted", check.Warning,
		"The manifest removes a file that the header does not list.",
		"List the file under REMOVE_FILES in MOD.DAT, or remove its record.")
	foundUnrecorded = Catalog.Add("tl-mod-removed-unrecorded", check.Warning,
		"The header removes a file for which the manifest has no record.",
		"Extract, delete .trowel.json, pack: this writes records for all removed files.")
	foundRemovedName = Catalog.Add("tl-mod-removed-name", check.Error,
		"The path of a removed file is not upper-case below MEDIA/: the game finds no such file.",
		"Correct the path in MOD.DAT.")
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
		sink.Add(foundOldHeader, "", 0, "the header has version %d", h.Version)
	}
	if n := int64(h.DataOffset) - m.length; n > 0 {
		sink.Add(foundGap, "", m.length, "%s between header and archive", words.Count(n, "byte"))
	}
	if h.Flags != 0 {
		sink.Add(foundFlags, "", -1, "the flags are %#x", h.Flags)
	}
	if (h.RequiredHash != 0) != (len(h.Required) > 0) {
		sink.Add(foundRequiredHash, "", -1, "%s, and a hash of %016x", words.Count(len(h.Required), "required mod"), h.RequiredHash)
	}
	for _, p := range h.Removed {
		if p != strings.ToUpper(p) || !strings.HasPrefix(p, "MEDIA/") {
			sink.Add(foundRemovedName, p, -1, "no file of the game can have this path")
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
