package fleet

import (
	"bufio"
	"bytes"
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
	"trowel.example/internal/limits/parallel"
)

// The output of a merge in the store of a work.
const (
	stdoutName = "output/stdout"
	stderrName = "output/stderr"
	filesName  = "output/files/"  // the files that the verb wrote
	indexName  = "output/adopted" // the files in their final place, as lines of JSON
	endName    = "output/end.json"
	outputName = "out" // the file or folder that the verb wrote
)

// ended is the record that is written last.
type ended struct {
	Code  int      `json:"code"`
	Files []string `json:"files,omitempty"`
	// Adopted is the number of files that parts have stored in their final place.
	Adopted int `json:"adopted,omitempty"`
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
	put := func(name, path string) error {
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		return store.Put(ctx, name, func(to io.Writer) error {
			_, err := io.Copy(to, from)
			return err
		})
	}
	done := ended{Code: code}
	index := filepath.Join(temp, outputName) + adoptedPart
	if err = put(stderrName, talk.Name()); err == nil {
		done.Adopted, err = countLines(index)
	}
	if err == nil && done.Adopted > 0 {
		err = put(indexName, index)
	}
	if err == nil {
		done.Files, err = outputs(temp, outputName)
	}
	for _, name := range done.Files {
		if err == nil {
			err = put(filesName+name, filepath.Join(temp, filepath.FromSlash(name)))
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
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("%s: %w", endName, err)
		}
	}
	return &e, nil
}

// checkName returns an error about a name that no output of a verb has.
func checkName(name string) error {
	if rest, ok := strings.CutPrefix(name, outputName); !ok || !filepath.IsLocal(filepath.FromSlash(name)) || rest != "" && rest[0] != '/' {
		return fmt.Errorf("%.50q is not a valid name of a file", name)
	}
	return nil
}

// readAdopted calls do for all files that are in their final place.
func (e *ended) readAdopted(ctx context.Context, store work.Store, do func(name string, ref work.Ref) error) error {
	if e.Adopted == 0 {
		return nil
	}
	r, err := store.Open(ctx, indexName)
	if err != nil {
		return err
	}
	defer r.Close()
	lines := json.NewDecoder(bufio.NewReader(r))
	for range e.Adopted {
		var a adopted
		err := lines.Decode(&a)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = checkName(a.Name)
		}
		var ref work.Ref
		if err == nil {
			ref, err = work.ParseRef(a.SHA256, a.Size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", indexName, err)
		}
		if err := do(a.Name, ref); err != nil {
			return err
		}
	}
	return nil
}

// countLines returns the number of lines of a file.
func countLines(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	some := make([]byte, 1<<16)
	for err == nil {
		var got int
		got, err = f.Read(some)
		n += bytes.Count(some[:got], []byte("\n"))
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// show prints the output and the messages of a verb, and writes its output files to path.
func (e *ended) show(ctx context.Context, t *verbs.Tool, store work.Store, stderr io.Writer, path string, replace bool) error {
	if path != "" {
		if len(e.Files)+e.Adopted == 0 {
			return wording.Hint(errors.New("the verb wrote no file or folder"), "without -o its output is printed")
		}
		folder, ok := store.(work.Folder)
		others := fs.FileMode(0o077)
		if ok && work.OwnerOnly(string(folder)) {
			others = 0
		}
		if err := e.fetch(ctx, store, path, output.Options{Replace: replace, Others: func() fs.FileMode { return others }}); err != nil {
			return err
		}
	}
	if err := cmp.Or(copyTo(ctx, store, t.Out(), stdoutName), copyTo(ctx, store, stderr, stderrName)); err != nil {
		return err
	}
	if n := len(e.Files) + e.Adopted; path == "" && n > 0 {
		t.Say("the verb wrote %s: fetch the output with -o", wording.Count(n, "file"))
	}
	return nil
}

// maxFetching is the number of files that are fetched at the same time: object storage answers slowly.
const maxFetching = 8

// fetch writes the output file or folder of a verb, completely or not at all.
func (e *ended) fetch(ctx context.Context, store work.Store, path string, opts output.Options) error {
	out, err := output.New(path, opts)
	if err != nil {
		return err
	}
	defer out.Discard()
	if len(e.Files) == 1 && e.Files[0] == outputName {
		f, err := out.Create("")
		if err == nil {
			err = copyTo(ctx, store, f, filesName+outputName)
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
	group := parallel.NewGroup(ctx, maxFetching)
	err = e.eachFile(ctx, store, func(name string, copyTo func(context.Context, io.Writer) error) error {
		return group.Go(func(ctx context.Context) error {
			to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, outputName+"/")))
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			f, err := os.Create(to)
			if err == nil {
				err = errors.Join(copyTo(ctx, f), f.Close())
			}
			return err
		})
	})
	if err = cmp.Or(group.Wait(), err); err != nil {
		return err
	}
	return out.Commit()
}

// eachFile calls do for each file of the output folder, with a function that writes its content.
func (e *ended) eachFile(ctx context.Context, store work.Store,
	do func(name string, copyTo func(context.Context, io.Writer) error) error) error {
	for _, name := range e.Files {
		if err := do(name, func(ctx context.Context, to io.Writer) error { return copyTo(ctx, store, to, filesName+name) }); err != nil {
			return err
		}
	}
	files := &work.Files{Store: store}
	return e.readAdopted(ctx, store, func(name string, ref work.Ref) error {
		return do(name, func(ctx context.Context, to io.Writer) error { return files.CopyTo(ctx, to, ref) })
	})
}

// copyTo writes a file of a store.
func copyTo(ctx context.Context, store work.Store, to io.Writer, name string) error {
	r, err := store.Open(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(to, r)
	return err
}
