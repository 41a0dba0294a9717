//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/format"
)

// samplesFolder is the folder of the page with the samples, which web/index.html offers, and their pictures.
const samplesFolder = "samples/"

// samples are the samples: the source, the file or folder, the options of pack, and those of render for the picture.
var samples = []struct {
	source, name string
	pack, render []string
}{
	{"burrow", "burrow.map", nil, []string{"--area", "1,7:28,25"}},
	{"ember", "ember.MOD", []string{"--tables"}, []string{"MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT"}},
	{"glade", "glade", nil, []string{"--view", "iso", "--area", "-37,-60:39,-9.33", "--background", "#a9c4d8"}},
}

// addSamples packs the samples, draws their pictures, and lists the files.
func addSamples(all map[string][]byte) error {
	dir, err := os.MkdirTemp("", "trowel-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}", "trowel.example")
	if err != nil {
		return err
	}
	for _, s := range samples {
		made, picture := filepath.Join(dir, "all", s.name), filepath.Join(dir, s.source+".png")
		from := filepath.Join(strings.TrimSpace(string(root)), "samples", s.source)
		if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
			return err
		}
		if err := run(append([]string{"pack", "-q", from, "-o", made}, s.pack...)); err != nil {
			return err
		}
		if err := run(append([]string{"render", "-q", made, "-o", picture, "--size", "540x360"}, s.render...)); err != nil {
			return err
		}
		if all[samplesFolder+s.source+".jpg"], err = asJPEG(picture); err != nil {
			return err
		}
	}
	type file struct {
		Path string `json:"path"`
	}
	var list []file
	below := os.DirFS(filepath.Join(dir, "all"))
	if err := fs.WalkDir(below, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		list = append(list, file{name})
		all[path.Join(samplesFolder, name)], err = fs.ReadFile(below, name)
		return err
	}); err != nil {
		return err
	}
	all["samples.json"], err = json.Marshal(map[string]any{"files": list})
	return err
}

// run runs the tool.
func run(args []string) error {
	var messages bytes.Buffer
	if code := verbs.Main(format.Registered(), args, new(bytes.Buffer), &messages, &messages); code != 0 {
		return fmt.Errorf("trowel %s: %s", strings.Join(args, " "), messages.Bytes())
	}
	return nil
}

// asJPEG returns a picture as JPEG, which is a third of a PNG here.
func asJPEG(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, p, &jpeg.Options{Quality: 80})
	return b.Bytes(), err
}
