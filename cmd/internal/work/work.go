// Package work splits the work of a verb, so that it can be done in one process, resumed after an interruption,
// or done by many processes on many machines, with byte-identical results.
//
// A [Verb] yields parts, does a part, which gives records, and takes the records of all parts in order. It
// prints only while taking records. Therefore the output does not depend on which process did a part, or when.
package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Part is a part of a work, as data that can be sent to another machine.
type Part struct {
	Name  string          `json:"name"`            // unique in the work; see [Part.Valid]
	File  string          `json:"file,omitempty"`  // file of the part, as the user named it
	Shard format.Shard    `json:"shard,omitempty"` // shard of the file; "" is the whole file
	Data  json.RawMessage `json:"data,omitempty"`  // further data for the verb
	Apart bool            `json:"apart,omitempty"` // one of very many: see [Many]
}

// Valid reports whether the name can be part of a file name on all systems: 1 to 100 lower-case letters, digits
// and -_.,= of which the first is a letter or digit.
func (p *Part) Valid() bool {
	for i, c := range []byte(p.Name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !plain && (i == 0 || !containsByte("-_.,=", c)) {
			return false
		}
	}
	return p.Name != "" && len(p.Name) <= 100
}

func containsByte(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// Verb is the work of a verb. R is the type of the records, which package gob must be able to encode.
type Verb[R any] interface {
	// Split yields the parts in the order in which they are taken: whole files or, if fine is set, their
	// shards, each of which should take at most a minute.
	Split(ctx context.Context, fine bool, yield func(Part) error) error

	// Do does a part and passes its records to put. Do must not print. Several parts are done at the same time.
	// An error concerns the whole part and ends the work.
	Do(ctx context.Context, p Part, put func(R) error) error

	// Take takes the next record. Take is not called for parts without records.
	Take(ctx context.Context, p Part, r R) error
}

// Work is a [Verb] with any type of records.
type Work interface {
	// Here does the whole work on all cores. It holds up to some thousand records per core in memory.
	Here(ctx context.Context) error
	// Split yields the shards, as in [Verb].
	Split(ctx context.Context, yield func(Part) error) error
	// Do does a part and writes its result.
	Do(ctx context.Context, p Part, w io.Writer) error
	// Merge takes the results of all parts, in order. The function open opens the result of a part; some are opened before
	// their turn, at the same time. names is called for the files that they name, with the number of the part.
	Merge(ctx context.Context, parts iter.Seq2[Part, error], open func(Part) (io.ReadCloser, error), names func(int, Ref)) error
}

// Of returns the Work of a verb.
func Of[R any](v Verb[R]) Work { return &work[R]{v} }

type work[R any] struct{ verb Verb[R] }

func (w *work[R]) Split(ctx context.Context, yield func(Part) error) error {
	seen := make(map[string]bool)
	return w.verb.Split(ctx, true, func(p Part) error {
		if !p.Valid() || seen[p.Name] {
			return fmt.Errorf("a defect of this program: %q is the name of two parts, or not a valid name", p.Name)
		}
		seen[p.Name] = true
		return yield(p)
	})
}

func (w *work[R]) Do(ctx context.Context, p Part, to io.Writer) error {
	out, err := newResult[R](to)
	if err != nil {
		return err
	}
	if err := w.verb.Do(ctx, p, out.put); err != nil {
		return errors.Join(err, out.discard())
	}
	return out.close(p)
}

func (w *work[R]) Merge(ctx context.Context, parts iter.Seq2[Part, error], open func(Part) (io.ReadCloser, error),
	names func(int, Ref)) error {
	ctx, cancel := context.WithCancel(ctx)
	results := ahead(ctx, parts, open)
	defer func() {
		cancel()
		for o := range results { // closes those that are open
			(<-o).close()
		}
	}()
	zip, err := newUnzip()
	if err != nil {
		return err
	}
	defer zip.Close()
	var delayed delay[R]
	i := 0
	for next := range results {
		o := <-next
		err := o.err
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = readResult(o.r, zip, o.Part, func(record R) error {
				late := false
				if r, ok := any(record).(referring); ok {
					var ref Ref
					if ref, late = r.Refers(); late {
						names(i, ref)
					}
				}
				return delayed.take(ctx, w.verb, o.Part, record, late)
			})
		}
		if o.close(); err != nil {
			return err
		}
		i++
	}
	return delayed.end(ctx, w.verb, 0)
}

// maxKept is the number of records of a part that are kept while earlier parts are taken.
const maxKept = 1000

// doing is a part in progress. Its turn to be taken comes when its predecessor is done.
type doing[R any] struct {
	Part
	turn <-chan struct{}
	done chan struct{}
	kept []R
	err  error
}

func (w *work[R]) Here(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	turn := make(chan struct{})
	close(turn)
	return parallel.Ordered(ctx,
		func(yield func(*doing[R]) error) error {
			return w.verb.Split(ctx, false, func(p Part) error {
				next := &doing[R]{Part: p, turn: turn, done: make(chan struct{})}
				turn = next.done
				return yield(next)
			})
		},
		func(d *doing[R]) *doing[R] {
			d.err = w.verb.Do(ctx, d.Part, func(r R) error { return w.put(ctx, d, r) })
			return d
		},
		func(d *doing[R]) (err error) {
			defer func() {
				if err != nil {
					cancel() // stops parts that wait for their turns
				}
				close(d.done)
			}()
			for _, r := range d.kept {
				if err := w.verb.Take(ctx, d.Part, r); err != nil {
					return err
				}
			}
			return d.err
		})
}

// put keeps a record until the turn of its part. If maxKept records are kept, put waits for the turn and takes
// them.
func (w *work[R]) put(ctx context.Context, d *doing[R], r R) error {
	if d.kept = append(d.kept, r); len(d.kept) < maxKept {
		return nil
	}
	select {
	case <-d.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, r := range d.kept {
		if err := w.verb.Take(ctx, d.Part, r); err != nil {
			return err
		}
	}
	clear(d.kept)
	d.kept = d.kept[:0]
	return nil
}
