package work

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// Stored is a plan in a store. Its parts are read one by one.
type Stored struct{ store Store }

// Open opens the plan in a store. It returns an error if it is of another work than plan.
func Open(ctx context.Context, plan Plan, store Store) (*Stored, error) {
	in, end, err := openPlan(ctx, store)
	if err != nil {
		return nil, err
	}
	defer end()
	there, err := in.head()
	switch {
	case err != nil:
		return nil, &Damaged{Err: err}
	case there.Same(&plan):
		return &Stored{store}, nil
	case there.Version != plan.Version:
		return nil, fmt.Errorf("%w, by version %s of the program", ErrOther, there.Version)
	case there.Dir != plan.Dir:
		return nil, fmt.Errorf("%w, in %s", ErrOther, there.Dir)
	}
	return nil, fmt.Errorf("%w: %s", ErrOther, strings.Join(there.Args, " "))
}

// All yields the parts in order.
func (s *Stored) All(ctx context.Context) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		in, end, err := openPlan(ctx, s.store)
		if err != nil {
			yield(Part{}, err)
			return
		}
		defer end()
		_, err = in.head()
		for i := 0; err == nil && in.More(); i++ {
			var p Part
			if err = in.Decode(&p); err == nil && !p.Valid() {
				err = fmt.Errorf("part %d: %.100q is not a valid name", i, p.Name)
			}
			if err == nil && !yield(p, nil) {
				return
			}
		}
		if err == nil {
			err = in.expect(json.Delim(']'), json.Delim('}')) // without parts there may be no list
		}
		if err != nil {
			yield(Part{}, &Damaged{Err: cut(err)})
		}
	}
}

// planReader reads a plan, whose fields are in the order of [Plan].
type planReader struct{ *json.Decoder }

func openPlan(ctx context.Context, store Store) (in planReader, end func() error, err error) {
	r, err := store.Open(ctx, PlanName)
	if err != nil {
		return in, nil, err
	}
	return planReader{json.NewDecoder(bufio.NewReaderSize(r, 1<<16))}, r.Close, nil
}

// head reads up to the first part.
func (in planReader) head() (p Plan, err error) {
	err = in.expect(json.Delim('{'))
	for _, field := range []struct {
		name string
		to   any
	}{{"version", &p.Version}, {"dir", &p.Dir}, {"args", &p.Args}} {
		if err == nil {
			err = in.expect(field.name)
		}
		if err == nil {
			err = in.Decode(field.to)
		}
	}
	if err == nil {
		err = in.expect("parts")
	}
	if err == nil {
		err = in.expect(json.Delim('['), nil)
	}
	return p, cut(err)
}

// expect reads one of some tokens.
func (in planReader) expect(tokens ...json.Token) error {
	found, err := in.Token()
	if err == nil && !slices.Contains(tokens, found) {
		err = fmt.Errorf("expected %v, found %v", tokens[0], found)
	}
	return err
}

// cut returns the error of a plan that ends within one of its parts.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
