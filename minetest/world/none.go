package world

import (
	"context"
	"iter"
)

// None returns an empty store.
func None[T any]() Store[T] { return none[T]{} }

type none[T any] struct{}

func (none[T]) Names(context.Context) iter.Seq2[string, error] {
	return func(func(string, error) bool) {}
}

func (none[T]) Get(context.Context, string) (thing T, err error) { return thing, ErrNotFound }
func (none[T]) Put(context.Context, T) error                     { return ErrReadOnly }
func (none[T]) Delete(context.Context, string) error             { return ErrReadOnly }
func (none[T]) Commit(context.Context) error                     { return ErrReadOnly }
func (none[T]) Close() error                                     { return nil }
