package worldfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
)

// OpenRepository opens a repository of backups.
func OpenRepository(ctx context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	r, err := worldrepo.Open(ctx, src.Files())
	return &repositoryFile{r}, err
}

// repositoryFile is an open repository.
type repositoryFile struct{ *worldrepo.Repository }

// Tree contains a description of each snapshot. The contents of snapshots are private: they are only available by
// restoring.
func (f *repositoryFile) Tree(ctx context.Context, job *format.Job) (fs.FS, error) {
	all, err := f.Snapshots(ctx, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return nil, err
	}
	return worldrepo.Tree(all), nil
}

func (f *repositoryFile) Info(ctx context.Context, job *format.Job) (format.Info, error) {
	info := format.Info{Format: RepositoryName}
	all, err := f.Snapshots(ctx, func(id string, err error) { job.Miss("snapshots/"+id, "%v", err) })
	if err != nil {
		return info, err
	}
	info.Add("snapshots", "", len(all))
	if n := len(all); n > 0 {
		info.Add("oldest", "", all[0].ID)
		info.Add("newest", "", all[n-1].ID)
	}
	return info, nil
}

// OptionPart selects the packs that check reads.
var OptionPart = format.Option{Name: "part", For: format.ForCheck, Parse: func(value string) error {
	_, err := parsePart(value)
	return err
}, Help: "of a repository of backups, read only part `N/M` of the contents, such as 3/20: M runs with all parts read everything"}

func parsePart(value string) (p worldrepo.Part, err error) {
	n, of, ok := strings.Cut(value, "/")
	p.N, err = strconv.Atoi(n)
	if err == nil {
		p.Of, err = strconv.Atoi(of)
	}
	if !ok || err != nil || p.N < 1 || p.N > p.Of || p.Of > 10_000 {
		return worldrepo.Part{}, fmt.Errorf("expected N/M, with N from 1 to M, not %q", value)
	}
	return p, nil
}

// OptionState is a file with the newest roots of a repository.
var OptionState = format.Option{Name: "state", For: format.ForCheck,
	Help: "with --trust, remember the newest snapshots of the repository in this `file`, which the next check reads as with --root"}

// readState reads the roots in a file, which may be missing.
func readState(name string) (list []worldrepo.Root, err error) {
	data, err := regular.ReadFile(name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if parseRoot(line) != nil {
			return nil, fmt.Errorf("%s: expected roots of snapshots, one on each line, as check --state writes them", name)
		}
		list = append(list, worldrepo.Root(line))
	}
	return list, err
}

func writeState(name string, roots []worldrepo.Root) error {
	var text strings.Builder
	for _, root := range roots {
		fmt.Fprintln(&text, root)
	}
	return wholefile.Write(name, strings.NewReader(text.String()), 0o600)
}

func parseRoot(value string) error {
	if digits, err := hex.DecodeString(value); err != nil || len(digits) != sha256.Size {
		return fmt.Errorf("expected a root as backup prints it, 64 hexadecimal digits, not %q", value)
	}
	return nil
}

// OptionRoot are roots that a repository has had.
var OptionRoot = format.Option{Name: "root", For: format.ForCheck, List: true, Parse: parseRoot,
	Help: "with --trust, the repository must still have the snapshot with this `root`, or a signed record of its removal"}

func (f *repositoryFile) Check(ctx context.Context, job *format.Job, sink check.Sink) (err error) {
	var o worldrepo.CheckOptions
	if value := OptionPart.Value(job); value != "" {
		o.Part, _ = parsePart(value) // was parsed before
	}
	if o.Trust, err = worldjob.Trust(job); err != nil {
		return err
	}
	for _, root := range OptionRoot.Values(job) {
		o.Since = append(o.Since, worldrepo.Root(strings.ToLower(root)))
	}
	state := OptionState.Value(job)
	if (len(o.Since) > 0 || state != "") && o.Trust == nil {
		return errors.New("--root and --state need --trust: anybody could have made a snapshot that is not signed")
	}
	if state != "" {
		known, err := readState(state)
		if err != nil {
			return err
		}
		o.Since = append(o.Since, known...)
		o.OnHeads = func(roots []worldrepo.Root) error { return writeState(state, roots) }
	}
	return f.Repository.Check(ctx, o, sink)
}

// Snapshots lists the snapshots of a repository.
func Snapshots(ctx context.Context, repo *format.Source) (list []format.Snapshot, err error) {
	r, err := worldrepo.Open(ctx, repo.Files())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := r.Snapshots(ctx, func(id string, err error) { list = append(list, format.Snapshot{ID: id, Err: err}) })
	for _, s := range all {
		list = append(list, format.Snapshot{ID: s.ID, Time: s.Time, Of: s.World})
	}
	return list, err
}
