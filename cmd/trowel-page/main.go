//go:build !js

// Trowel-page makes the page that shows files without a program: a folder for any web server. In the browser, the page runs this
// program, built for GOOS=js, in a worker.
package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
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
	"trowel.example/internal/bytes/deflate"
)

//go:embed web
var web embed.FS

// smallest is set for a release: the program is downloaded more often than it is made.
var smallest bool

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: trowel-page [-smallest] [-mapres FOLDER -license FILE]... FOLDER\n\n"+
			"It makes the page in a folder that does not exist, from the source in this folder.")
		flag.PrintDefaults()
	}
	flag.BoolVar(&smallest, "smallest", false, "compress the program to fewer bytes, which takes a minute longer")
	var pictures games
	flag.Func("mapres", "a `FOLDER` with pictures that maps name: mapres of a game, or data, which contains it", list(&pictures.mapres))
	flag.Func("license", "the `FILE` with the licence of the pictures of a -mapres", list(&pictures.license))
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(flag.Arg(0), pictures); err != nil {
		fmt.Fprintln(os.Stderr, "trowel-page:", err)
		os.Exit(1)
	}
}

// list returns a function that adds values of a flag to all.
func list(all *[]string) func(string) error {
	return func(value string) error {
		*all = append(*all, value)
		return nil
	}
}

// policy allows only what lies in the folder, and pictures and downloads that the page makes.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"

const inner = "view.html" // the page of the viewer, in a frame of the page

// write makes the folder of the page.
func write(dir string, pictures games) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	all, err := files(pictures)
	if err != nil {
		return errors.Join(err, os.Remove(dir))
	}
	return site.Page(all).Write(dir, nil)
}

// files returns the files of the page.
func files(pictures games) (map[string][]byte, error) {
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
	if err := addSamples(all); err != nil {
		return nil, err
	}
	if err := addMapres(all, pictures); err != nil {
		return nil, err
	}
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
	// What is loaded only if the user wants it.
	var now, later []string
	for _, at := range names {
		if isLater(at) {
			later = append(later, at)
		} else {
			now = append(now, at)
		}
	}
	list, err := json.Marshal([][]string{append(now, ""), later})
	if err != nil {
		return nil, err
	}
	all["keep.js"] = fmt.Appendf(all["keep.js"], "keep(%q, ...%s);\n", hex.EncodeToString(sum.Sum(nil)[:8]), list)
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
	return gzipped(data)
}

// gzipped compresses data with the level 9 of zlib, which makes a program smaller by 1 % than that of compress/gzip does, or to a size that
// is 4 % less than that: the header of gzip, the stream without the frame of zlib, the checksum and the size.
func gzipped(data []byte) ([]byte, error) {
	compress := func(dst, src []byte) ([]byte, error) { return deflate.Compress(dst, src, 9) }
	if smallest {
		compress = deflate.Smallest
	}
	packed, err := compress([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff}, data)
	if err != nil {
		return nil, err
	}
	packed = append(packed[:10], packed[12:len(packed)-4]...)
	packed = binary.LittleEndian.AppendUint32(packed, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(packed, uint32(len(data))), nil
}

func output(name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	return c.Output()
}
