package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"trowel.example/internal/format"

	"trowel.example/fault"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// headerSuffix is the extension of the file next to an archive that holds its mod's header.
const headerSuffix = ".MOD.DAT"

var optionHeader = format.Option{Name: "header", Input: true, Help: "the `file` that says what the mod is called: a MOD.DAT, or a mod whose header to take (default: the .MOD.DAT beside the archive)"}

var modConversions = append([]format.Conversion{{
	To: torchlightPakName, Title: "an archive, .PAK with .PAK.MAN, and a .MOD.DAT with what the mod says of itself", Extension: ".PAK", Usual: true,
	Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		m, err := openMod(job, src)
		if err != nil {
			return err
		}
		loseDamaged(job, src, m.Archive)
		var parts []format.Part
		for _, suffix := range []string{"", ".MAN", headerSuffix} {
			part, err := out.Create(suffix)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
		if m.Archive.Salvaged() {
			err = modedit.OfPak(m.Archive, modedit.Options{}).WritePak(parts[0], parts[1])
		} else {
			err = m.Split(parts[0], parts[1])
		}
		if err != nil {
			return fault.InFile(err, src.Path)
		}
		_, err = parts[2].Write(moddir.ModDat(m.Header))
		return err
	},
}}, exchangeConversions...)

var pakConversions = append([]format.Conversion{{
	To: torchlightModName, Title: "a mod", Extension: ".MOD", Usual: true, Options: []format.Option{optionHeader},
	Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		header, err := findHeader(optionHeader.Value(job), src)
		if err != nil {
			return err
		}
		r, other, err := openPak(job, src)
		if err != nil {
			return err
		}
		defer other.Close()
		if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
			return fmt.Errorf("%s: give the .PAK, not the list of what is in it", src.Path)
		}
		loseDamaged(job, src, r)
		part, err := out.Create("")
		if err != nil {
			return err
		}
		if r.Salvaged() {
			_, err := mod.Write(part, header, pak.NewEdit(r).Files(), nil)
			return err
		}
		manifest, err := r.Manifest().Encode()
		if err != nil {
			return fault.InFile(err, src.Path)
		}
		return mod.Join(part, header, io.NewSectionReader(src, 0, src.Size), manifest)
	},
}}, exchangeConversions...)

// findHeader returns the header for the mod that an archive is converted to.
func findHeader(name string, src *format.Source) (*mod.Header, error) {
	var file *format.Source
	var err error
	if name != "" {
		file, err = format.OpenSource(name)
	} else if file, err = src.Neighbor(headerSuffix); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: a mod needs a name: --%s takes a MOD.DAT, or the header of another mod", err, optionHeader.Name)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.IsDir() {
		return nil, fmt.Errorf("%s: %w", file.Path, os.ErrInvalid)
	}
	if isMod(file) {
		m, err := openMod(new(format.Job), file) // only its header is needed
		if err != nil {
			return nil, err
		}
		return m.Header, nil
	}
	data, err := file.ReadUpTo(maxCompiled)
	if err != nil {
		return nil, err
	}
	header, err := moddir.HeaderOf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	return header, nil
}
