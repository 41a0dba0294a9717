package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
)

// The output of a merge in the store of a work.
const (
	stdoutName = "output/stdout"
	stderrName = "output/stderr"
	filesName  = "output/files/" // the files that the verb wrote
	endName    = "output/end.json"
	outputName = "out" // the file or folder that the verb wrote
)

// ended is the record that is written last.
type ended struct {
	Code  int      `json:"code"`
	Files []string `json:"files,omitempty"`
}

// output runs a merge and stores its printed output and the files that it writes to the folder temp.
func (w *worker) output(ctx context.Context, results, temp string, run func(out, talk io.Writer) error) (code int, err error) {
	store, end, err := openStore(ctx, results)
	if err != nil {
		return 0, err
	}
	defer end()
	talk, err := os.Create(filepath.Join(temp, "stderr"))
	if err != nil {
		return 0, err
	}
	defer talk.Close()
	err = store.Put(ctx, stdoutName, func(out io.Writer) error {
		err := run(out, talk)
		var child *childError
		if errors.As(err, &child) && (child.code == 1 || child.code == 2) { // exit codes of the verb itself
			code, err = child.code, nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	put := func(name string, from io.Reader) error {
		return store.Put(ctx, name, func(to io.Writer) error {
			_, err := io.Copy(to, from)
			return err
		})
	}
	if _, err = talk.Seek(0, io.SeekStart); err == nil {
		err = put(stderrName, talk)
	}
	done := ended{Code: code}
	if err == nil {
		done.Files, err = outputs(temp, outputName)
	}
	for _, name := range done.Files {
		if err != nil {
			return 0, err
		}
		var f *os.File
		if f, err = os.Open(filepath.Join(temp, filepath.FromSlash(name))); err == nil {
			err = put(filesName+name, f)
			f.Close()
		}
	}
	if err != nil {
		return 0, err
	}
	return code, store.Put(ctx, endName, func(to io.Writer) error { return json.NewEncoder(to).Encode(done) })
}

// readEnd reads the last record of a merge.
func readEnd(ctx context.Context, store work.Store) (*ended, error) {
	r, err := store.Open(ctx, endName)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var e ended
	if err := json.NewDecoder(r).Decode(&e); err != nil {
		return nil, fmt.Errorf("%s: %w", endName, err)
	}
	for _, name := range e.Files {
		if rest, ok := strings.CutPrefix(name, outputName); !ok || !filepath.IsLocal(filepath.FromSlash(name)) || rest != "" && rest[0] != '/' {
			return nil, fmt.Errorf("%s: %.50q is not a valid name of a file", endName, name)
		}
	}
	return &e, nil
}

// show prints the output and the messages of a verb, and writes its output files to path.
func (e *ended) show(ctx context.Context, t *verbs.Tool, store work.Store, stderr io.Writer, path string, replace bool) error {
	copyTo := func(to io.Writer, name string) error {
		r, err := store.Open(ctx, name)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(to, r)
		return err
	}
	if path != "" {
		if len(e.Files) == 0 {
			return wording.Hint(errors.New("the verb wrote no file or folder"), "omit -o to print its output")
		}
		folder, ok := store.(work.Folder)
		others := fs.FileMode(0o077)
		if ok && work.OwnerOnly(string(folder)) {
			others = 0
		}
		if err := e.fetch(path, output.Options{Replace: replace, Others: func() fs.FileMode { return others }}, copyTo); err != nil {
			return err
		}
	}
	if err := cmp.Or(copyTo(t.Out(), stdoutName), copyTo(stderr, stderrName)); err != nil {
		return err
	}
	if path == "" && len(e.Files) > 0 {
		t.Say("the verb wrote %s: fetch the output with -o", wording.Count(len(e.Files), "file"))
	}
	return nil
}

// fetch writes the output file or folder of a verb, completely or not at all.
func (e *ended) fetch(path string, opts output.Options, copyTo func(io.Writer, string) error) error {
	out, err := output.New(path, opts)
	if err != nil {
		return err
	}
	defer out.Discard()
	if len(e.Files) == 1 && e.Files[0] == outputName {
		f, err := out.Create("")
		if err == nil {
			err = copyTo(f, filesName+outputName)
		}
		if err != nil {
			return err
		}
		return out.Commit()
	}
	dir, err := out.Dir()
	if err != nil {
		return err
	}
	for _, name := range e.Files {
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, outputName+"/")))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		f, err := os.Create(to)
		if err == nil {
			err = errors.Join(copyTo(f, filesName+name), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return out.Commit()
}
