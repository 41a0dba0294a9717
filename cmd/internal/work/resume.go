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

	"trowel.example/internal/limits/parallel"
)

// Plan is a work that was split: its description and its parts, in order.
type Plan struct {
	Version string   `json:"version"` // of the program: other versions may produce other records
	Dir     string   `json:"dir"`     // base of relative paths
	Args    []string `json:"args"`    // the verb and its arguments
	Parts   []Part   `json:"parts"`
}

// Same reports whether two plans describe the same work.
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

// ResultName returns the name of a part's result in a store.
func ResultName(p Part) string { return "parts/" + p.Name }

// ErrOther means that a store has the plan of another work.
var ErrOther = errors.New("the folder has the results of another work")

// Begin splits a work and stores the plan. If the store has a plan of the same work, Begin returns that plan,
// even if the files have changed.
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

// readPlan reads the plan in a store and returns an error if it is of another work.
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
			return nil, &Damaged{Err: fmt.Errorf("part %d: %.100q is not a valid name", i, p.Name)}
		}
	}
	return &there, nil
}

// Resume does the parts of a plan that have no results in the store yet, on all cores, and merges all results.
// Parts for which again returns true are always done; again may be nil.
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
		p := todo[i]
		err := ctx.Err()
		if err == nil {
			err = put(ctx, ResultName(p), func(to io.Writer) error { return w.Do(ctx, p, to) })
		}
		if err != nil {
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

// Finish merges the results of all parts.
func Finish(ctx context.Context, w Work, plan *Plan, store Store) error {
	return w.Merge(ctx, plan.All(), func(p Part) (io.ReadCloser, error) { return store.Open(ctx, ResultName(p)) })
}
