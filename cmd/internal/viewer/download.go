package viewer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
)

// download makes a handler that sends a file, which may take long, to be kept under the name of the shown file with an extension.
func (s *Server) download(extension, media string, write func(ctx context.Context, e *edition, w io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.life, cancel)()
		e, release, err := s.editionOf(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		defer release()
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Cache-Control", "no-store")
		name := strings.TrimSuffix(e.of.Name, path.Ext(e.of.Name)) + extension
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
		out := &counter{Writer: patient{w, http.NewResponseController(w)}}
		if p := parallel.Catch(func() { err = write(ctx, e, out) }); p != nil {
			err = defect(p)
		}
		switch {
		case err == nil || r.Context().Err() != nil:
		case out.n > 0:
			panic(http.ErrAbortHandler) // ends the connection, so that an incomplete file is detected
		default:
			h.Del("Content-Disposition")
			s.fail(w, r, err)
		}
	}
}

// patient renews the time limit of an answer whenever a part of it is written.
type patient struct {
	io.Writer
	out *http.ResponseController
}

func (p patient) Write(data []byte) (int, error) {
	_ = p.out.SetWriteDeadline(time.Now().Add(2 * limit)) // other clients than browsers have no limit
	return p.Writer.Write(data)
}

// writeReady makes the file ready to be published and writes what that changes, the sizes in bytes before and after, and the new
// file, if anything changes.
func writeReady(ctx context.Context, e *edition, w io.Writer) error {
	if e.Format.Editing == nil || e.Format.Editing.Ready == "" || e.Source.IsDir() {
		return problem{http.StatusNotFound, "no operation makes a file of this format ready for release"}
	}
	out, done, err := e.perform(ctx, e.Source, []string{e.Format.Editing.Ready}, false)
	if err != nil {
		return err
	}
	answer := map[string]any{"before": e.Source.Size, "changes": done.Changes, "notes": done.Notes}
	if file := out[""]; done.Count > 0 && file != nil {
		answer["after"], answer["file"] = len(*file), []byte(*file)
	}
	return json.NewEncoder(w).Encode(answer)
}

// writeFolder writes the tree of a file as a .zip, as extract writes it to a folder. If the file can contain passwords, they are
// masked, and the sidecar is left out.
func writeFolder(ctx context.Context, e *edition, w io.Writer) error {
	fsys, err := e.files(ctx)
	if err == nil && e.Format.Mask == nil {
		fsys = e.tree
	}
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	add := func(at string, content io.Reader) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: at, Method: zip.Deflate})
		if err == nil {
			_, err = io.Copy(f, content)
		}
		return err
	}
	type folder struct {
		dir, at string
		names   safename.Folder
	}
	way, names := []*folder{{dir: ".", at: "."}}, make(map[string]string)
	err = treediff.Walk(ctx, fsys, ".", func(name string, entry fs.DirEntry) error {
		for way[len(way)-1].dir != path.Dir(name) {
			way = way[:len(way)-1]
		}
		parent := way[len(way)-1]
		at := path.Join(parent.at, parent.names.Name(entry.Name()))
		if at != name {
			names[at] = name
		}
		if entry.IsDir() {
			way = append(way, &folder{dir: name, at: at})
			return nil
		}
		if at == tree.Sidecar {
			return nil // written last, with the names
		}
		f, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return add(at, f)
	})
	if err != nil {
		return err
	}
	sidecar, err := fs.ReadFile(fsys, tree.Sidecar)
	if err != nil {
		sidecar = nil // it has none, or it is hidden
	}
	if len(names) > 0 {
		if sidecar, err = safename.AddNames(sidecar, names); err != nil {
			return err
		}
	}
	if sidecar != nil {
		if err := add(tree.Sidecar, bytes.NewReader(sidecar)); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeFindings writes all findings of a file, as check --json prints them.
func writeFindings(ctx context.Context, e *edition, w io.Writer) error {
	findings := []check.Finding{}
	err := e.runCheck(ctx, nil, func(f check.Finding) {
		f.Path, f.Message = e.of.plain(f.Path), e.of.plain(f.Message)
		findings = append(findings, f)
	}, func(string, int, int) {})
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	type one struct {
		File     string          `json:"file"`
		Format   string          `json:"format"`
		Findings []check.Finding `json:"findings"`
	}
	return out.Encode([]one{{e.of.Name, e.Format.Name, findings}})
}
