package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/stores/server"
)

// Files are the files of a verb, and the division of the work on them into parts.
type Files struct {
	service *Service
	Names   []string // the user's arguments

	nowPart    string // name of the part of list and last
	list       []Target
	last       bool
	reported   map[wording.Note]bool // notes already printed about the shards of toldOf
	reportedOf string
}

// bundle is the description of a part: its files.
type bundle struct {
	Files []bundled `json:"files"`
	Last  bool      `json:"last,omitempty"` // the part is the last shard of its file
}

// bundled is a file of a bundle.
type bundled struct {
	From int    `json:"from"`          // index of the argument
	At   string `json:"at,omitempty"`  // slash-separated path below the argument, if the file was found in a folder
	Raw  []byte `json:"raw,omitempty"` // the same path if it is not valid UTF-8
	Size int64  `json:"size,omitempty"`
	Time int64  `json:"time,omitempty"` // modification time in nanoseconds since 1970
	Err  string `json:"err,omitempty"`  // why the file cannot be read

	Version string `json:"version,omitempty"` // of files outside of the file system
}

// Small files are bundled, so that a part takes some seconds and its result is worth a file. A
// larger file is a separate part or is split into shards.
const (
	maxBundle      = 1000
	maxBundleBytes = 32 << 20
	folderBytes    = 1 << 20 // assumed size of a folder in tree form
)

// NewFiles returns the files that names refer to.
func (s *Service) NewFiles(names []string) *Files {
	f := &Files{service: s, Names: names}
	s.stale = f.stale
	return f
}

// stale reports whether a file of a part has changed since the work was split. Changes in folders are not
// detected.
func (f *Files) stale(ctx context.Context, p work.Part) bool {
	if p.Data == nil {
		return false
	}
	var b bundle
	list, _, err := f.of(p)
	if json.Unmarshal(p.Data, &b) != nil || err != nil {
		return true // the error is reported when the part is done
	}
	for i, one := range b.Files {
		if one.Version != "" {
			same := false
			if err := f.service.objects(ctx, list[i].Name, func(t Target) error {
				same = t.size == one.Size && t.version == one.Version
				return nil
			}); err != nil || !same {
				return true
			}
		}
		if one.Time == 0 {
			continue
		}
		info, err := os.Stat(list[i].Name)
		if err != nil || info.Size() != one.Size || info.ModTime().UnixNano() != one.Time {
			return true
		}
	}
	return false
}

// Perform does the work of a verb for files.
func (f *Files) Perform(ctx context.Context, w work.Work) error {
	if f.service.InParts() && slices.Contains(f.Names, "-") {
		return wording.Hint(errors.New("standard input cannot be read in parts"), "name a file")
	}
	return f.service.Perform(ctx, w)
}

// Split yields the parts: each file, or if fine is set, bundles of small files and shards of large files.
func (f *Files) Split(ctx context.Context, fine bool, yield func(work.Part) error) error {
	n := 0
	part := func(file, suffix string, shard format.Shard, b bundle) error {
		data, err := json.Marshal(b)
		if err != nil {
			return err
		}
		return yield(work.Part{Name: fmt.Sprintf("%07d%s", n, suffix), File: file, Shard: shard, Data: data})
	}
	var open bundle
	var bytes int64
	end := func() error {
		if len(open.Files) == 0 {
			return nil
		}
		err := part(f.service.Join(f.Names[open.Files[0].From], open.Files[0].At), "", "", open)
		n++
		open, bytes = bundle{}, 0
		return err
	}
	for from, name := range f.Names {
		err := f.service.Targets(ctx, name, func(t Target) error {
			one := bundled{From: from, At: t.at}
			if !utf8.ValidString(t.at) {
				one.Raw = []byte(t.at)
			}
			if t.Err != nil {
				one.Err = wording.Text(t.Err)
			}
			if !fine {
				n++
				return part(t.Name, "", "", bundle{Files: []bundled{one}, Last: true})
			}
			size, large := int64(folderBytes), false
			if f.service.IsElsewhere(t.From) {
				size, one.Size, one.Version = t.size, t.size, t.version
				large = size > maxBundleBytes
			} else if info, err := os.Stat(t.Name); err == nil {
				if !info.IsDir() {
					size, one.Size, one.Time = info.Size(), info.Size(), info.ModTime().UnixNano()
				}
				large = info.IsDir() || size > maxBundleBytes
			}
			if large && t.Err == nil {
				shards, err := f.Shards(ctx, t)
				if err != nil {
					return err
				}
				if len(shards) > 0 {
					if err := end(); err != nil {
						return err
					}
					for i, shard := range shards {
						if err := part(t.Name, "-"+string(shard), shard, bundle{[]bundled{one}, i == len(shards)-1}); err != nil {
							return err
						}
					}
					n++
					return nil
				}
			}
			if len(open.Files) == maxBundle || bytes+size > maxBundleBytes {
				if err := end(); err != nil {
					return err
				}
			}
			open.Files, open.Last, bytes = append(open.Files, one), true, bytes+size
			return nil
		})
		if err != nil {
			return err
		}
	}
	return end()
}

// Shards returns the shards of a file, or none if it cannot be split. Errors of the file are reported when its
// part is done.
func (f *Files) Shards(ctx context.Context, t Target) (shards []format.Shard, err error) {
	if p := parallel.Catch(func() {
		quiet := f.service.Part(func(wording.Note) {})
		src, e := quiet.Source(ctx, t.Name)
		if e != nil {
			return
		}
		defer src.Close()
		of, e := quiet.FormatOf(src, t)
		if e != nil || of.Sharding == nil {
			return
		}
		job := f.service.Job(of)
		job.OnWarn, job.OnMiss, job.OnProgress = nil, nil, nil
		e = of.Sharding.Split(ctx, job, src, func(s format.Shard) error {
			shards = append(shards, s)
			return nil
		})
		if e != nil {
			shards = nil
		}
		if ctx.Err() != nil || server.Failed(e) {
			err = wording.Named(e, t.Name)
		}
	}); p != nil {
		return nil, nil
	}
	return shards, err
}

// Taken returns a file of the part whose records are being taken. last reports whether the part is the last one
// of the file.
func (f *Files) Taken(p work.Part, file int) (t Target, last bool, err error) {
	if f.nowPart != p.Name {
		if f.list, f.last, err = f.of(p); err != nil {
			return t, false, err
		}
		f.nowPart = p.Name
	}
	if file < 0 || file >= len(f.list) {
		return t, false, &work.Damaged{Part: p.Name, Err: fmt.Errorf("no file %d", file)}
	}
	return f.list[file], f.last, nil
}

// Report prints a note about a part. A note that several shards of a file report is printed once.
func (f *Files) Report(p work.Part, n wording.Note) {
	if p.Shard == "" || f.reported == nil || f.reportedOf != p.File {
		f.reported, f.reportedOf = make(map[wording.Note]bool), p.File
	}
	if !f.reported[n] {
		f.reported[n] = true
		Report(f.service.Report, n)
	}
}

// Progress shows the number of files done.
func (f *Files) Progress(what string, n int) {
	if !f.service.InParts() {
		f.service.Report.Progress(what, n, 0)
	}
}

// Each calls do for each file of a part.
func (f *Files) Each(p work.Part, do func(i int, t Target) error) error {
	list, _, err := f.of(p)
	for i, t := range list {
		if err == nil {
			err = do(i, t)
		}
	}
	return err
}

// of returns the files of a part, and whether the part is the last shard of its file.
func (f *Files) of(p work.Part) ([]Target, bool, error) {
	var b bundle
	if err := json.Unmarshal(p.Data, &b); err != nil {
		return nil, false, &work.Damaged{Part: p.Name, Err: err}
	}
	var list []Target
	for _, one := range b.Files {
		if one.Raw != nil {
			one.At = string(one.Raw)
		}
		at := filepath.FromSlash(one.At)
		if one.From < 0 || one.From >= len(f.Names) || at != "" && !filepath.IsLocal(at) {
			return nil, false, &work.Damaged{Part: p.Name, Err: fmt.Errorf("%q is not a path in %q", one.At, f.Names)}
		}
		t := Target{Name: f.Names[one.From], From: f.Names[one.From], at: one.At, Found: at != ""}
		if t.Found {
			t.Name = f.service.Join(t.From, one.At)
		}
		if one.Err != "" {
			t.Err = errors.New(one.Err)
		}
		list = append(list, t)
	}
	return list, b.Last, nil
}
