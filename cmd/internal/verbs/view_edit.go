package verbs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/format"
)

// offerEdits lets the page of view change the file that the user named.
func offerEdits(ctx context.Context, a *Tool, s *viewer.Server, names []string) error {
	if len(names) != 1 || names[0] == "-" {
		return wording.Hint(errors.New("--edit needs one file"), "`trowel edit` changes several files")
	}
	e, err := editsOf(a, names[0])
	if err != nil {
		return err
	}
	return s.Edit(ctx, e)
}

// editsOf describes how the page of view changes a file.
func editsOf(a *Tool, name string) (viewer.Edits, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return viewer.Edits{}, err
	}
	e := viewer.Edits{
		Save: func(ctx context.Context, script string, digest [32]byte) (string, error) {
			return saveEdits(ctx, a, full, script, digest)
		},
		Undo: func(ctx context.Context) (string, error) { return runFor(ctx, a, "", "undo", full) },
	}
	if dir := host.StateFolder(); dir != "" {
		if real, err := filepath.EvalSymlinks(full); err == nil {
			full = real
		}
		sum := sha256.Sum256([]byte(full))
		e.Keep = filepath.Join(dir, "trowel", "edits", filepath.Base(full)+"-"+hex.EncodeToString(sum[:8])+".json")
	}
	return e, nil
}

// saveEdits runs `trowel edit --in-place` with a script, if the file has a digest, and returns the messages.
func saveEdits(ctx context.Context, a *Tool, name, script string, digest [32]byte) (string, error) {
	args := []string{"edit", "--in-place", "--script=-"}
	if digest != ([32]byte{}) { // zero: it is a folder
		args = append(args, "--expect="+hex.EncodeToString(digest[:]))
	}
	for _, given := range a.Options.Given {
		if slices.ContainsFunc(a.Formats, func(f *format.Format) bool {
			return f.Editing != nil && slices.ContainsFunc(f.Editing.Options, func(o format.Option) bool { return o.Name == given.Name })
		}) {
			for value := range strings.SplitSeq(given.Value, "\n") {
				args = append(args, "--"+given.Name+"="+value)
			}
		}
	}
	return runFor(ctx, a, script, append(args, name)...)
}

// runFor runs a command line with the given input for the page, and returns its messages.
func runFor(ctx context.Context, a *Tool, input string, args ...string) (string, error) {
	var out, messages bytes.Buffer
	run := newTool(a.Games, strings.NewReader(input), &out, &messages)
	run.inPage = true
	var failure error
	run.failed = func(err error) { failure = err }
	run.run(ctx, args, &messages)
	text := strings.TrimSpace(messages.String())
	if failure != nil {
		return "", errors.New(strings.TrimPrefix(text, "trowel: "))
	}
	return text, nil
}
