package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"image"

	"trowel.example/format"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// pasteOptions are those of operations that bring in parts of a map that may be for another game,
// and acrossOptions those of the ways from game to game.
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

// acrossOf returns what options say of the way to another game of a map, which is drawn with the
// pictures of a game. Src is where the map is.
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

// advised adds to an error of a way between games which option does it all the same.
func advised(err error) error {
	if errors.Is(err, mapedit.ErrLoss) {
		return fmt.Errorf("%w: --%s does it all the same", err, optionDrop.Name)
	}
	return err
}

// to07 makes a map one of Teeworlds 0.7, and warns of what that does not bear.
func to07(e *mapedit.Editor, job *format.Job, a mapedit.Across) error {
	if err := e.To07(a); err != nil {
		return err
	}
	if many := e.Map().TooManySpawns(); many != "" {
		job.Warn(job.Source.Path, "the map has %s: the server of Teeworlds 0.7 crashes on more than 64 of a kind", many)
	}
	return nil
}

// otherMap returns the map that an argument names, a file or a folder made of one, and how parts
// of it come into a map of another game.
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
	src, err := format.OpenSource(path) // only its path is asked
	if err != nil {
		return nil, mapedit.Across{}, err
	}
	return m, acrossOf(m, job, src, game), src.Close()
}
