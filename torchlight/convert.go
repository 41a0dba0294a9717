package torchlight

import (
	"context"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

var optionHeader = format.Option{Name: "header", Access: format.Access{Input: true},
	Help: "the `file` with the header of the mod: a MOD.DAT, or another mod (default: the .MOD.DAT next to " +
		"the archive)"}

var modConversions = append([]format.Conversion{{
	To: torchlightPakName, Title: "an archive, .PAK with .PAK.MAN, and a .MOD.DAT with the header of the mod",
	Extension: ".PAK", Usual: true,
	Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
		m, err := modsource.OpenMod(job, src)
		if err != nil {
			return err
		}
		modsource.LoseDamaged(job, src, m.Archive)
		var parts []format.Part
		for _, suffix := range []string{"", ".MAN", modsource.HeaderSuffix} {
			part, err := out.Create(suffix)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
		if m.Archive.Salvaged() {
			err = modedit.OfPak(m.Archive, modedit.Options{}).WritePak(ctx, parts[0], parts[1])
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
	Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
		header, err := modsource.ReadHeader(optionHeader.Value(job), src)
		if err != nil {
			return err
		}
		r, other, err := modsource.OpenPak(job, src)
		if err != nil {
			return err
		}
		defer other.Close()
		if err := modsource.CheckPak(src); err != nil {
			return err
		}
		modsource.LoseDamaged(job, src, r)
		part, err := out.Create("")
		if err != nil {
			return err
		}
		if r.Salvaged() {
			_, err := mod.Write(ctx, part, header, pak.NewEdit(r).Files(), nil)
			return err
		}
		manifest, err := r.Manifest().Encode()
		if err != nil {
			return fault.InFile(err, src.Path)
		}
		return mod.Join(part, header, io.NewSectionReader(src, 0, src.Size), manifest)
	},
}}, exchangeConversions...)
