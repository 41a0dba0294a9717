package verbs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
)

const commitsHelp = `A file or folder can be named as it was in a commit of the git repository in the current folder, as git
does: main:maps/climb.map, with the path in the repository, or main:./climb.map.`

// isCommitted reports whether a name is that of a file in a commit, REV:PATH.
func isCommitted(name string) bool {
	rev, at, ok := strings.Cut(name, ":")
	return ok && rev != "" && at != "" && rev[0] != '-' && !strings.HasPrefix(at, "//") && filepath.VolumeName(name) == "" &&
		!service.Exists(name)
}

// checkOut returns the names of files with those in commits, REV:PATH, replaced by temporary files, and the hashes of these commits.
// The function removes the files.
func (a *Tool) checkOut(ctx context.Context, names []string) (files, commits []string, remove func(), err error) {
	files, commits = slices.Clone(names), make([]string, len(names))
	var opened []*history.Opened
	remove = func() {
		for _, o := range opened {
			_ = o.Close()
		}
	}
	for i, name := range names {
		if !isCommitted(name) {
			continue
		}
		o, commit, err := checkedOut(ctx, name)
		if err != nil {
			remove()
			return nil, nil, nil, err
		}
		a.talk.Hide(o.Path, name)
		for _, note := range o.Notes {
			a.talk.Miss(name, note)
		}
		files[i], commits[i], opened = o.Path, commit, append(opened, o)
	}
	return files, commits, remove, nil
}

// checkedOut writes the file in a commit that a name REV:PATH means to a temporary folder.
func checkedOut(ctx context.Context, name string) (o *history.Opened, commit string, err error) {
	rev, at, _ := strings.Cut(name, ":")
	repo, err := history.OpenRepository(ctx, "")
	if err != nil {
		return nil, "", fmt.Errorf("%s: no such file, and no commit: %w", name, err)
	}
	if commit, err = repo.Commit(ctx, rev); err != nil {
		return nil, "", err
	}
	at = filepath.ToSlash(at)
	if strings.HasPrefix(at, "./") || strings.HasPrefix(at, "../") {
		if at, err = repo.PathOf(at); err != nil {
			return nil, "", err
		}
	}
	if o, err = repo.CheckOut(ctx, commit, at); err != nil {
		err = wording.Hint(err, "the path in %s begins at the top of the repository, that in %s:./NAME in the current folder", name, rev)
	}
	return o, commit, err
}
