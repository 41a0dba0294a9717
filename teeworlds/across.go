package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"image"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// pasteOptions are the options of operations that add parts of a map that may be for another game; acrossOptions are
// those of conversions between games.
var (
	pasteOptions  = opts{ofCommand(optionDrop), ofCommand(optionMapres)}
	acrossOptions = append(pasteOptions[:2:2],
		format.Option{Name: "force", Bool: true, Help: "whatever the form of the map says that it is for: its tiles are those of the other game"})
)

var versionCommands = []mapCommand{
	command("Map", "to-0.7", "Make a map of Teeworlds 0.7: its form, and the tiles that look the same with its pictures", nil, acrossOptions, "to-0.7 --mapres ~/ddnet/data/mapres",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			return advised(to07(e, job, acrossOf(e.Map(), job, job.Source, mapdraw.Game06)))
		}),
	command("Map", "to-0.6", "Make a map of DDNet and Teeworlds 0.6 of one of 0.7, with the tiles that look the same", nil, acrossOptions, "to-0.6",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			return advised(e.To06(acrossOf(e.Map(), job, job.Source, mapdraw.Game07)))
		}),
}

// acrossOf returns how a map is converted to another game, according to the options of a job. The map is drawn with
// the pictures of game. src is the source of the map.
func acrossOf(m *twmap.Map, job *format.Job, src *format.Source, game mapdraw.Game) mapedit.Across {
	var r *mapdraw.Renderer
	return mapedit.Across{Drop: job.On(optionDrop.Name), Force: job.On("force"), Find: func(name string) (*image.NRGBA, error) {
		if r == nil {
			o, err := drawOptions(job, src)
			if err != nil {
				return nil, err
			}
			o.Game = game
			if r, err = mapdraw.New(m, o); err != nil {
				return nil, err
			}
		}
		return r.External(name)
	}}
}

// advised adds to the error of a conversion between games the option that permits the loss.
func advised(err error) error {
	if errors.Is(err, mapedit.ErrLoss) {
		return fmt.Errorf("%w: --%s does it all the same", err, optionDrop.Name)
	}
	return err
}

// to07 converts a map to Teeworlds 0.7, and warns of what that game does not support.
func to07(e *mapedit.Editor, job *format.Job, a mapedit.Across) error {
	if err := e.To07(a); err != nil {
		return err
	}
	if many := e.Map().TooManySpawns(); many != "" {
		job.Warn(job.Source.Path, "the map has %s: the server of Teeworlds 0.7 crashes on more than 64 of a kind", many)
	}
	return nil
}

// otherMap returns the map that an argument names, a file or an extracted folder, and how its parts are converted to
// the game of the edited map.
func otherMap(job *format.Job) (*twmap.Map, mapedit.Across, error) {
	path := job.Value(argMap.Name)
	names, err := namesAt(job, path)
	if err != nil {
		return nil, mapedit.Across{}, err
	}
	m := names.Map()
	game := mapdraw.Game06
	if mapedit.Is07(m) {
		game = mapdraw.Game07
	}
	src, err := format.OpenSource(path) // only its path is used
	if err != nil {
		return nil, mapedit.Across{}, err
	}
	return m, acrossOf(m, job, src, game), src.Close()
}
