package worldjob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sealed"
	"trowel.example/minetest/internal/worldrepo"
)

// OptionMoment selects a snapshot of a repository of backups.
var OptionMoment = format.Option{Name: "moment", Names: "snapshot", Help: "the `snapshot`: its name, the beginning of " +
	"its name, or a time such as 2026-11-22T10:00 or an age such as 2d for the newest snapshot at or before it (default: the newest)"}

// TrustOptions select the snapshots of a repository of backups that are accepted, see [Trust].
var TrustOptions = []format.Option{optionTrust, optionRoot, optionState}

const ofRepository = format.ForCheck | format.ForCompare

var (
	// The page in the browser must not name files, so these are inputs.
	optionTrust = format.Option{Name: "trust", For: ofRepository, Access: format.Access{Input: true}, Help: "of a repository of " +
		"backups, accept only snapshots that are signed with this `key` of minisign (RW...), or with the key in a file",
		Parse: func(value string) error { _, err := sealed.ParseTrust(value); return err }}
	optionRoot = format.Option{Name: "root", For: ofRepository, List: true, Parse: parseRoot,
		Help: "with --trust, the repository must still have the snapshot with this `root`, or a signed record of its removal"}
	optionState = format.Option{Name: "state", For: ofRepository, Access: format.Access{Input: true, Output: true},
		Help: "with --trust, the roots in this `file` are as with --root; check creates it, and remembers the newest snapshots in it"}
)

// TrustArguments are TrustOptions as options of a command.
type TrustArguments struct {
	Trust string   `option:"trust"`
	Roots []string `option:"root"`
	State string   `option:"state"`
}

// Describe describes the options. A command reads no file before it is known whether the page may name the file.
func (TrustArguments) Describe(o *format.Option) {
	for _, t := range TrustOptions {
		o.As(t)
	}
	if o.Name == optionTrust.Name {
		o.Parse = nil
	}
}

func parseRoot(value string) error {
	if digits, err := hex.DecodeString(value); err != nil || len(digits) != sha256.Size {
		return fmt.Errorf("expected a root as backup prints it, 64 hexadecimal digits, not %q", value)
	}
	return nil
}

// Trust returns the key with which the snapshots of a repository must be signed, nil if none is required, and the roots that the
// repository must have. OnHeads, if the job names a file of roots, replaces these; only then the file may be missing.
func Trust(job *format.Job, onHeads *func([]worldrepo.Root) error) (key *sealed.Trust, since []worldrepo.Root, err error) {
	if value := optionTrust.Value(job); value != "" {
		if key, err = sealed.ParseTrust(value); err != nil {
			return nil, nil, err
		}
	}
	for _, root := range optionRoot.Values(job) {
		since = append(since, worldrepo.Root(strings.ToLower(root)))
	}
	state := optionState.Value(job)
	if (len(since) > 0 || state != "") && key == nil {
		return nil, nil, errors.New("--root and --state need --trust: anybody could have made a snapshot that is not signed")
	}
	if state == "" {
		return key, since, nil
	}
	known, err := readState(state)
	if onHeads != nil {
		*onHeads = func(roots []worldrepo.Root) error { return writeState(state, roots) }
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return key, append(since, known...), err
}

// readState reads the roots in a file.
func readState(name string) (list []worldrepo.Root, err error) {
	data, err := regular.ReadFile(name, effort.SmallFile)
	if err != nil {
		return nil, err
	}
	wrong := fmt.Errorf("%s: expected roots of snapshots, one on each line, as check --state writes them", name)
	for line := range strings.Lines(string(data)) {
		root, whole := strings.CutSuffix(line, "\n")
		if !whole || parseRoot(root) != nil {
			return nil, wrong
		}
		list = append(list, worldrepo.Root(root))
	}
	if len(list) == 0 {
		return nil, wrong // otherwise a file that was emptied would protect from nothing
	}
	return list, nil
}

// OpenSnapshot opens a repository of backups and selects a snapshot, see [worldrepo.Repository.Select], which the options of the job
// must accept, see [Trust]. The caller closes the repository.
func OpenSnapshot(ctx context.Context, job *format.Job, src *format.Source, moment string) (*worldrepo.Repository,
	*worldrepo.Snapshot, error) {
	key, since, err := Trust(job, nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := worldrepo.Open(ctx, src.Files())
	if err != nil {
		return nil, nil, err
	}
	if t, ok := ago(moment, time.Now()); ok {
		moment = t.Format(time.RFC3339)
	}
	s, err := r.Select(ctx, moment, func(id string, err error) { job.Warn("snapshots/"+id, "%v", err) })
	if unknown, ok := errors.AsType[*worldrepo.MomentError](err); ok {
		err = &format.WordError{Word: unknown.Moment, Names: unknown.Snapshots, Text: unknown.Error()}
	}
	if err == nil {
		err = r.Verify(s, key)
	}
	if err == nil {
		err = r.Has(ctx, key, since)
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return r, s, nil
}

// writeState writes a file with roots.
func writeState(name string, roots []worldrepo.Root) error {
	var text strings.Builder
	for _, root := range roots {
		fmt.Fprintln(&text, root)
	}
	return wholefile.Write(name, strings.NewReader(text.String()), 0o600)
}
