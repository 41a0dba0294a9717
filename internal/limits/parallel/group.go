package parallel

import (
	"context"
	"sync"
)

// Group runs functions that wait for others, such as servers: some at the same time, whatever the number of cores.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  chan struct{}
	all    sync.WaitGroup
}

// NewGroup returns a group that runs up to most functions at the same time.
func NewGroup(ctx context.Context, most int) *Group {
	g := &Group{slots: make(chan struct{}, most)}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	return g
}

// Go waits until do can run, and starts it. It returns an error, and does not start it, if the context has ended or a function
// has failed.
func (g *Group) Go(do func(context.Context) error) error {
	select {
	case g.slots <- struct{}{}:
	case <-g.ctx.Done():
	}
	if g.ctx.Err() != nil {
		return context.Cause(g.ctx)
	}
	g.all.Go(func() {
		var err error
		if p := Catch(func() { err = do(g.ctx) }); p != nil {
			err = p
		}
		if err != nil {
			g.cancel(err)
		}
		<-g.slots
	})
	return nil
}

// Wait waits until all functions have returned, and returns the first error. It raises a panic of a function again, as a
// [Panic]. It must be called once, at the end.
func (g *Group) Wait() error {
	g.all.Wait()
	err := context.Cause(g.ctx)
	g.cancel(nil)
	if p, ok := err.(*Panic); ok {
		p.Throw()
	}
	return err
}
