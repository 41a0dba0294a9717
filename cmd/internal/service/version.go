package service

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/limits/parallel"
)

// The version as which this source is or will be released, and the date of the release. Both change together with
// CHANGELOG.md.
const (
	release     = "0.2.0"
	releaseDate = "2026-11-21"
)

// Build describes the source that the tool was built from. It does not depend on the date or the machine of the
// build.
type Build struct {
	Version, Revision string
	Changed           bool // the source was changed after that revision
	Date              time.Time
}

func Built() Build {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return builtFrom(nil)
	}
	return builtFrom(build.Settings)
}

func builtFrom(settings []debug.BuildSetting) Build {
	b := Build{Version: release}
	b.Date, _ = time.Parse(time.DateOnly, releaseDate)
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Date = t.UTC()
			}
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func (b Build) String() string {
	text := b.Version + " ("
	if b.Revision != "" {
		text += b.Revision
		if b.Changed {
			text += " with changes"
		}
		text += ", "
	}
	return text + b.Date.Format(time.DateOnly) + ")"
}

func Version() string { return Built().String() }

// Program identifies the program that made a result: by its version and, if no commit identifies the source, by
// a hash of the program.
var Program = sync.OnceValue(func() string {
	b := Built()
	if b.Revision != "" && !b.Changed {
		return b.String()
	}
	sum, err := hashOfSelf()
	if err != nil {
		return b.String()
	}
	return fmt.Sprintf("%s, program %x", b, sum[:6])
})

func hashOfSelf() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// Program is [program], or that of the process for which this process does a part.
func (s *Service) Program() string {
	if s.Handover != nil && s.Handover.Program != "" {
		return s.Handover.Program
	}
	return Program()
}

// Defect converts a panic into an error.
func Defect(p *parallel.Panic) error {
	return wording.Hint(fmt.Errorf("a defect of trowel %s: %w", Version(), p),
		"please report it, with this message and, if possible, the file")
}
