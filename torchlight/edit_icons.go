package torchlight

import (
	"fmt"
	"image"
	"os"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/modedit"
)

// addIcons adds an image set of the pictures in a folder to a mod.
func addIcons(e *modedit.Editor, folder, name string, codec dds.Format) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	pictures := make(map[string]*image.NRGBA)
	for _, entry := range entries {
		at := filepath.Join(folder, entry.Name())
		extension := filepath.Ext(at)
		if entry.IsDir() || !strings.EqualFold(extension, ".png") && !strings.EqualFold(extension, ".dds") {
			continue
		}
		data, err := regular.ReadFile(at, effort.TextFile)
		if err != nil {
			return err
		}
		m, err := picture.Decode(at, data)
		if err != nil {
			return fault.InFile(err, at)
		}
		pictures[strings.TrimSuffix(entry.Name(), extension)] = m
	}
	if len(pictures) == 0 {
		return fmt.Errorf("%s: no pictures (.png or .dds)", folder)
	}
	return putIcons(e, folder, name, pictures, codec)
}

// putIcons adds an image set of pictures, by the names of its sprites, to a mod. From is where the pictures come from.
func putIcons(e *modedit.Editor, from, name string, pictures map[string]*image.NRGBA, codec dds.Format) error {
	name = strings.ReplaceAll(name, `\`, "/")
	if !strings.HasPrefix(strings.ToUpper(name), "MEDIA/") {
		name = "MEDIA/" + name
	}
	name = strings.TrimSuffix(name, path.Ext(name))
	set, m, err := imageset.Build(strings.ToLower(name)+".dds", pictures)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	sheet, err := dds.Encode(m, codec)
	if err == nil {
		err = e.Put(name+".DDS", sheet)
	}
	if err == nil {
		err = e.Put(name+".IMAGESET", set)
	}
	return err
}
