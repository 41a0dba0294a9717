package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sync/atomic"

	"trowel.example/internal/limits/parallel"
)

// Plan is a work that was split: its description and its parts, in order.
type Plan struct {
	Version string   `json:"version"` // of the program: other versions may produce other records
	Dir     string   `json:"dir"`     // base of relative paths
	Args    []string `json:"args"`    // the verb and its arguments
	Parts   []Part   `json:"parts"`
	Many    int      `json:"-"` // replaces [Many]; 0: it does not
}

// Same reports whether two plans describe the same work.
func (p *Plan) Same(q *Plan) bool {
	return p.Version == q.Version && p.Dir == q.Dir && slices.Equal(p.Args, q.Args)
}

// isMany reports whether a number of parts is above [Many].
func (p *Plan) isMany(parts int) bool { return parts > cmp.Or(p.Many, Many) }

// PlanName is the name of the plan in a store.
const PlanName = "plan.json"

// resultFolder is the folder of results in a store.
const resultFolder = "parts"

// ResultName returns the name of a part's result in a store.
func ResultName(p Part) string {
	if p.Apart {
		return fmt.Sprintf("%s/%02x/%s", resultFolder, byte(hashOf(p.Name)), p.Name)
	}
	return resultFolder + "/" + p.Name
}

// hashOf returns a hash of a name that is the same in all processes.
func hashOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return h.Sum64()
}

// ErrOther means that a store has the plan of another work.
var ErrOther = errors.New("the folder has the results of another run")

// Begin splits a work and stores the plan. If the store has a plan of the same work, Begin returns that plan,
// even if the files have changed.
func Begin(ctx context.Context, w Work, plan Plan, store Store) (*Plan, error) {
	has, err := store.Has(ctx, PlanName)
	if err == nil && !has {
		err = w.Split(ctx, func(p Part) error {
			plan.Parts = append(plan.Parts, p)
			return nil
		})
		for i := range plan.Parts {
			plan.Parts[i].Apart = plan.isMany(len(plan.Parts))
		}
		if err == nil {
			err = store.Add(ctx, PlanName, func(to io.Writer) error { return json.NewEncoder(to).Encode(&plan) })
		}
	}
	if err != nil {
		return nil, err
	}
	there, err := Open(ctx, plan, store)
	if err != nil {
		return nil, err
	}
	plan.Parts = nil
	for p, err := range there.All(ctx) {
		if err != nil {
			return nil, err
		}
		plan.Parts = append(plan.Parts, p)
	}
	return &plan, nil
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
	_, err := Finish(ctx, w, plan, store)
	return err
}

// Finish merges the results of all parts of the plan in a store, which must be that of the same work as plan. It returns the
// files that it removed because no result names them.
func Finish(ctx context.Context, w Work, plan *Plan, store Store) (Left, error) {
	there, err := Open(ctx, *plan, store)
	if err != nil {
		return Left{}, err
	}
	var names named
	named := names.add
	if early, ok := store.(*Early); ok {
		named = func(part int, ref Ref) {
			names.add(part, ref)
			early.read(ctx, ref)
		}
	}
	if err := w.Merge(ctx, there.All(ctx), func(p Part) (io.ReadCloser, error) { return store.Open(ctx, ResultName(p)) },
		named); err != nil {
		return Left{}, err
	}
	return names.compare(ctx, store)
}
