package verbs

import (
	"context"
	"fmt"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/server"
)

// convertFile converts a file, split into parts if the results of parts are kept.
func convertFile(ctx context.Context, a *Tool, g *service.File, c *format.Conversion, job *format.Job, out format.Output) error {
	if !a.InParts() {
		return c.Convert(ctx, job, g.Source, out)
	}
	v := &converting{Tool: a, game: g, to: c, job: job}
	return c.Join(ctx, job, out, func(put func([]byte) error) error {
		v.put = put
		return a.Perform(ctx, work.Of(v))
	})
}

// converting is the work of a conversion.
type converting struct {
	*Tool
	game *service.File
	to   *format.Conversion
	job  *format.Job // job of the output
	put  func([]byte) error
}

// convertRecord is a piece of the output or a note.
type convertRecord struct {
	Piece []byte
	Note  *wording.Note
	Lost  int64 // number of notes about data of a damaged file
}

// Split yields the shards of the file.
func (v *converting) Split(ctx context.Context, _ bool, yield func(work.Part) error) error {
	shards, err := v.NewFiles(nil).Shards(ctx, service.Target{Name: v.game.Called})
	if err == nil && len(shards) == 0 {
		shards = []format.Shard{""}
	}
	for i, s := range shards {
		if err == nil {
			err = yield(work.Part{Name: fmt.Sprintf("%07d", i), File: v.game.Called, Shard: s})
		}
	}
	return err
}

// Do creates the pieces of a shard.
func (v *converting) Do(ctx context.Context, p work.Part, put func(convertRecord) error) error {
	var notes []wording.Note
	quiet := v.Part(func(n wording.Note) { notes = append(notes, n) })
	job := quiet.Job(v.game.Format, v.to.Options...)
	job.Shard = p.Shard
	err := v.to.Pieces(ctx, job, v.game.Source, func(piece []byte) error { return put(convertRecord{Piece: piece}) })
	for i := range notes {
		if err == nil {
			err = put(convertRecord{Note: &notes[i]})
		}
	}
	if lost := quiet.Lost.Load(); err == nil && lost > 0 {
		err = put(convertRecord{Lost: lost})
	}
	if server.Failed(err) {
		return err
	}
	return wording.Named(err, v.game.Called)
}

// Take appends a piece to the output.
func (v *converting) Take(_ context.Context, _ work.Part, r convertRecord) error {
	switch {
	case r.Lost > 0:
		v.Lost.Add(r.Lost)
		return nil
	case r.Note == nil:
		return v.put(r.Piece)
	}
	switch n := *r.Note; n.Kind {
	case wording.Warned:
		v.job.OnWarn(n.Path, n.Text)
	case wording.Missed:
		v.job.OnMiss(n.Path, n.Text)
	default:
		service.Report(v.talk, n)
	}
	return nil
}
