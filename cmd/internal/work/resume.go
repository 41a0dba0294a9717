package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"trowel.example/internal/parallel"
)

// Plan is a work that was taken apart: what was asked for, and the parts in their order.
type Plan struct {
	Version string   `json:"version"` // of the program: another one may give other records
	Dir     string   `json:"dir"`     // from which relative paths are
	Args    []string `json:"args"`    // the verb and its words
	Parts   []Part   `json:"parts"`
}

// Same reports whether two plans are of the same work.
func (p *Plan) Same(q *Plan) bool {
	return p.Version == q.Version && p.Dir == q.Dir && slices.Equal(p.Args, q.Args)
}

// All yields the parts.
func (p *Plan) All() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for _, part := range p.Parts {
			if !yield(part, nil) {
				return
			}
		}
	}
}

// PlanName is the name of the plan in a store.
const PlanName = "plan.json"

// ResultName returns the name of the result of a part in a store.
func ResultName(p Part) string { return "parts/" + p.Name }

// ErrOther means that a store has the plan of another work.
var ErrOther = errors.New("another work was begun there")

// Begin takes a work apart and keeps the plan in a store. If one of the same work is there that
// counts, whatever the files are now.
func Begin(ctx context.Context, w Work, plan Plan, store Store) (*Plan, error) {
	has, err := store.Has(ctx, PlanName)
	if err == nil && !has {
		err = w.Split(ctx, func(p Part) error {
			plan.Parts = append(plan.Parts, p)
			return nil
		})
		if err == nil {
			err = store.Add(ctx, PlanName, func(to io.Writer) error { return json.NewEncoder(to).Encode(&plan) })
		}
	}
	if err != nil {
		return nil, err
	}
	return readPlan(ctx, plan, store)
}

// readPlan reads the plan that is in a store, of the same work as another one.
func readPlan(ctx context.Context, plan Plan, store Store) (*Plan, error) {
	r, err := store.Open(ctx, PlanName)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var there Plan
	if err := json.NewDecoder(r).Decode(&there); err != nil {
		return nil, &Damaged{Err: err}
	}
	if !there.Same(&plan) {
		switch {
		case there.Version != plan.Version:
			return nil, fmt.Errorf("%w, by version %s of the program", ErrOther, there.Version)
		case there.Dir != plan.Dir:
			return nil, fmt.Errorf("%w, in %s", ErrOther, there.Dir)
		}
		return nil, fmt.Errorf("%w: %s", ErrOther, strings.Join(there.Args, " "))
	}
	for i := range there.Parts {
		if p := &there.Parts[i]; !p.Valid() {
			return nil, &Damaged{Err: fmt.Errorf("part %d is called %.100q, which cannot be", i, p.Name)}
		}
	}
	return &there, nil
}

// Resume does the parts of a plan whose results are not in the store yet, on all cores, and
// merges all of them. Parts for which again is true are done in any case; it may be nil.
func Resume(ctx context.Context, w Work, plan *Plan, store Store, again func(Part) bool, progress func(done, of int)) error {
	var todo []Part
	stale := make(map[string]bool)
	for _, p := range plan.Parts {
		has, err := store.Has(ctx, ResultName(p))
		if err != nil {
			return err
		}
		if stale[p.Name] = has && again != nil && again(p); !has || stale[p.Name] {
			todo = append(todo, p)
		}
	}
	before := len(plan.Parts) - len(todo)
	var failed atomic.Pointer[error]
	var done atomic.Int64
	parallel.Each(len(todo), func(i int) {
		if failed.Load() != nil {
			return
		}
		put := store.Add
		if stale[todo[i].Name] {
			put = store.Put
		}
		if err := do(ctx, w, todo[i], put); err != nil {
			failed.CompareAndSwap(nil, &err)
			return
		}
		if n := done.Add(1); progress != nil {
			progress(before+int(n), len(plan.Parts))
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return Finish(ctx, w, plan, store)
}

// DoOnce does a part, unless its result is in the store.
func DoOnce(ctx context.Context, w Work, p Part, store Store) error { return do(ctx, w, p, store.Add) }

// do does a part, and puts its result into a store, by Put or Add of that.
func do(ctx context.Context, w Work, p Part, put func(context.Context, string, func(io.Writer) error) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return put(ctx, ResultName(p), func(to io.Writer) error { return w.Do(ctx, p, to) })
}

// Finish merges the results of all parts.
func Finish(ctx context.Context, w Work, plan *Plan, store Store) error {
	return w.Merge(ctx, plan.All(), func(p Part) (io.ReadCloser, error) { return store.Open(ctx, ResultName(p)) })
}
