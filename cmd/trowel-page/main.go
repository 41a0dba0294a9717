//go:build !js

// Trowel-page makes the page that shows files without a program: a folder for any web server. In the browser, the page runs this
// program, built for GOOS=js, in a worker.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/site"
	"trowel.example/cmd/internal/viewer"
)

//go:embed web
var web embed.FS

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: trowel-page FOLDER\n\n"+
			"It makes the page in a folder that does not exist, from the source in this folder.")
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "trowel-page:", err)
		os.Exit(1)
	}
}

// policy allows only what lies in the folder, and pictures and downloads that the page makes.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"

const inner = "view.html" // the page of the viewer, in a frame of the page

// write makes the folder of the page.
func write(dir string) error {
	all, err := files()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return site.Page(all).Write(dir, nil)
}

// files returns the files of the page.
func files() (map[string][]byte, error) {
	all, err := viewer.PageFiles()
	if err != nil {
		return nil, err
	}
	all[inner] = all[site.Shell]
	entries, err := fs.ReadDir(web, "web")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if all[e.Name()], err = web.ReadFile(path.Join("web", e.Name())); err != nil {
			return nil, err
		}
	}
	for _, at := range []string{site.Shell, inner} {
		all[at] = bytes.Replace(all[at], []byte("<head>"),
			[]byte("<head><meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n"), 1)
	}
	all[site.List] = nil // it is made with the folder
	if all[site.Program], err = build(); err != nil {
		return nil, err
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if all["wasm_exec.js"], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")); err != nil {
		return nil, err
	}
	// The names of all files and a hash of them, for the service worker that keeps them.
	sum := sha256.New()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(at string) bool { return at == site.List || at == "keep.js" })
	for _, at := range names {
		fmt.Fprintln(sum, at, len(all[at]))
		sum.Write(all[at])
	}
	list, err := json.Marshal(append(names, ""))
	if err != nil {
		return nil, err
	}
	all["keep.js"] = fmt.Appendf(all["keep.js"], "keep(%q, %s);\n", hex.EncodeToString(sum.Sum(nil)[:8]), list)
	return all, nil
}

// build builds this program for the browser, compressed.
func build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "trowel-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "trowel.wasm")
	if _, err := output("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "trowel.example/cmd/trowel-page"); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	return packed.Bytes(), err
}

func output(name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	return c.Output()
}
