package moddir

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// CheckFolder reports problems of the sources of a mod that are not visible in the built mod: sources that cannot be
// read, and compiled files that differ from the sources next to them.
func CheckFolder(fsys fs.FS, o Options, sink check.Sink) error {
	f, err := collect(fsys, true, func(string, string) {}) // Build reports these warnings
	if err != nil {
		return err
	}
	var bad *SourceError
	switch h, err := f.header(); {
	case errors.As(err, &bad):
		sink.AddAt(foundText, []check.Place{check.File(bad.At)}, bad.At, -1, "%v", bad.Err)
	case err == nil && h.ID == 0:
		sink.AddAt(foundNoID, []check.Place{check.File(modDat)}, modDat, -1, "has no MOD_ID")
	}
	for _, e := range f.clashes {
		sink.AddAt(foundClash, []check.Place{check.File(e.At)}, e.At, -1, "%v", e.Err)
	}
	if at := f.sign1(); at != "" {
		sink.AddAt(foundTorchlight1, []check.Place{check.File(at)}, at, -1, "%v", errTorchlight1)
	}
	findings := make([][]check.Finding, len(f.sources)+len(f.twins))
	parallel.Each(len(findings), func(i int) {
		add := check.Sink(func(found check.Finding) { findings[i] = append(findings[i], found) })
		if i < len(f.sources) {
			f.checkSource(f.sources[i], &o, add)
		} else {
			f.checkTwin(f.twins[i-len(f.sources)], &o, add)
		}
	})
	var newer []check.Finding // in a git checkout, where times mean little, there are many of these
	for _, list := range findings {
		for _, found := range list {
			if found.ID == foundTwinOlder.ID {
				newer = append(newer, found)
				continue
			}
			sink(found)
		}
	}
	if len(newer) > 0 {
		if n := len(newer) - 1; n > 0 {
			newer[0].Message += "; and " + words.Count(n, "more file")
			for _, other := range newer[1:] {
				newer[0].At = append(newer[0].At, other.At...)
			}
		}
		sink(newer[0])
	}
	return nil
}

// checkSource checks a single file, compiled or in its editable form.
func (f *folder) checkSource(s *source, o *Options, sink check.Sink) {
	sink = text.InFile(s.at, sink)
	if s.twin {
		more := ""
		for _, t := range tableOf {
			if strings.HasPrefix(s.path, t.folder) && s.form == t.form {
				more = ", so --tables makes no record for it in " + t.table
			}
		}
		sink.Add(foundNoSource, "", -1, "has no source next to it%s", more)
	}
	if s.form == nil {
		return
	}
	data, err := fs.ReadFile(f.fsys, s.at)
	switch {
	case err != nil:
		sink.Add(foundText, "", -1, "%v", err)
	case s.twin || !s.form.isText(data):
		s.form.check(data, s.path, o, sink)
	default:
		s.form.checkForm(data, s.path, o, sink)
		if err := ofTorchlight1(data); err != nil && s.form != admForm {
			text.ReportErrors(foundTorchlight1, err, sink)
		}
	}
}

// checkForm checks a file in its editable form.
func (f *form) checkForm(content []byte, name string, o *Options, sink check.Sink) {
	made, err := f.compile(content, nil, name, o.lenient())
	if err != nil {
		if !text.ReportErrors(foundText, err, sink) {
			sink.Add(foundText, "", -1, "%v", err)
		}
		return
	}
	switch f {
	case dataForm, admForm:
		text.Check(content, o.names(), sink)
		if file, err := text.Parse(content); err == nil {
			checkTree(file.Root, name, sink)
		}
	case layoutForm:
		layout.CheckText(content, sink)
	case modelForm:
		f.check(made, name, o, sink)
	}
}

// checkTwin compares a source with the compiled file next to it.
func (f *folder) checkTwin(pair [2]*source, o *Options, sink check.Sink) {
	s, twin := pair[0], pair[1]
	both := []check.Place{check.File(s.at), check.File(twin.at)}
	form, err := fs.ReadFile(f.fsys, s.at)
	if err != nil || !s.form.isText(form) {
		return
	}
	made, err := s.form.compile(form, nil, s.path, o.lenient())
	if err != nil {
		return // already reported
	}
	compiled, err := fs.ReadFile(f.fsys, twin.at)
	if err != nil {
		sink.AddAt(foundTwinBroken, both[1:], twin.at, -1, "%v", err)
		return
	}
	// The comparison uses the editable form with six digits. It does not contain meaningless differences such as the
	// IDs of strings, or the digits of a number that the editor does not write.
	six := *o
	six.Floats = text.GUTS
	want, _, err := s.form.decompile(made, s.path, &six)
	if err != nil {
		return
	}
	got, _, err := s.form.decompile(compiled, s.path, &six)
	switch {
	case err != nil:
		sink.AddAt(foundTwinBroken, both[1:], twin.at, -1, "%v", err)
	case !bytes.Equal(want, got):
		newer := ""
		if s.info.ModTime().After(twin.info.ModTime()) {
			newer = ", and is newer"
		}
		sink.AddAt(foundTwinDiffers, both, s.at, -1, "differs from %s%s", twin.at, newer)
	case s.info.ModTime().After(twin.info.ModTime()):
		sink.AddAt(foundTwinOlder, both[:1], s.at, -1, "is newer than %s, but has the same content", twin.at)
	}
}
