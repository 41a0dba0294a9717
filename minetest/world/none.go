package world

import (
	"context"
	"iter"
)

// None returns an empty store.
func None[T any]() Store[T] { return emptyStore[T]{} }

type emptyStore[T any] struct{}

func (emptyStore[T]) Names(context.Context) iter.Seq2[string, error] {
	return func(func(string, error) bool) {}
}

func (emptyStore[T]) Get(context.Context, string) (thing T, err error) { return thing, ErrNotFound }
func (emptyStore[T]) Put(context.Context, T) error                     { return ErrReadOnly }
func (emptyStore[T]) Delete(context.Context, string) error             { return ErrReadOnly }
func (emptyStore[T]) Commit(context.Context) error                     { return ErrReadOnly }
func (emptyStore[T]) Close() error                                     { return nil }
