package modedit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/text"
)

// Node is a node of a data file or of a layout, for reading. The zero value is not usable.
type Node struct {
	*text.Node
	File string // path of the file
	at   nodePlace
}

// Place returns the place of a key of the node, or of the node itself if key is "".
func (n *Node) Place(key string) text.Place { return n.at.place(key) }

// LookAt calls see for the selected nodes in the data files and layouts that match a pattern (see [Editor.Select]; no
// match is not an error), and yield with each result, in the order of the files. It calls see for several files at
// once. Files that cannot be read are reported to Options.Miss.
func LookAt[T any](ctx context.Context, e *Editor, files string, choice Choice, see func(*Node) []T, yield func(T) error) error {
	pick, err := choice.compile()
	if err != nil {
		return err
	}
	return look(ctx, e, files, isTree, func(f *file, data []byte) ([]T, error) {
		root, err := e.tree(f.path, data)
		if err != nil {
			return nil, err
		}
		var found []T
		for n, at := range pick.nodes(root) {
			found = append(found, see(&Node{n, f.path, at})...)
		}
		return found, nil
	}, yield)
}

// LookAtFiles is LookAt for the contents of files whose paths pass the filter is.
func LookAtFiles[T any](ctx context.Context, e *Editor, files string, is func(path string) bool,
	see func(path string, content []byte) []T, yield func(T) error) error {
	return look(ctx, e, files, is, func(f *file, data []byte) ([]T, error) { return see(f.path, data), nil }, yield)
}

func look[T any](ctx context.Context, e *Editor, files string, is func(path string) bool,
	see func(*file, []byte) ([]T, error), yield func(T) error) error {
	list, _ := e.selected(files, is) // the only error is that no file matches
	type result struct {
		file  *file
		found []T
		err   error
	}
	return parallel.Ordered(ctx,
		func(send func(*file) error) error {
			for _, f := range list {
				if err := send(f); err != nil {
					return err
				}
			}
			return nil
		},
		func(f *file) (r result) {
			r.file = f
			data, err := f.read()
			if err == nil {
				r.found, err = see(f, data)
			}
			r.err = err
			return r
		},
		func(r result) error {
			if r.err != nil {
				e.Miss(r.file.path, fmt.Sprintf("cannot be read: %v", r.err))
			}
			for _, one := range r.found {
				if err := yield(one); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
}

// CheckNames checks that the key, the nodes of the choice and the keys of its conditions occur in the data files and
// layouts that match a pattern. It returns a [fault.NameError] for the first one that does not occur. An empty key is
// not checked.
func (e *Editor) CheckNames(files, key string, choice Choice) error {
	pick, err := choice.compile()
	if err != nil {
		return err
	}
	list, err := e.selected(files, isTree)
	if err != nil {
		return err
	}
	keys, nodes, named := make(map[string]bool), make(map[string]bool), pick.node == nil
	all := &chooser{names: pick.names}
	for _, f := range list {
		data, err := f.read()
		if err != nil {
			continue // reported already when it was edited
		}
		root, err := e.tree(f.path, data)
		if err != nil {
			continue
		}
		for n, at := range all.nodes(root) {
			nodes[strings.ToUpper(n.Name)] = true
			named = named || pick.node("."+at.names)
			for p := range n.Properties() {
				keys[strings.ToUpper(p.Key)] = true
			}
		}
	}
	has := func(keys map[string]bool, name string) bool {
		is := text.Named(name)
		for key := range keys {
			if is(key) {
				return true
			}
		}
		return false
	}
	missing := func(kind, name string, names map[string]bool) error {
		return &fault.NameError{Kind: kind, Name: name, Names: slices.Sorted(maps.Keys(names)), Where: "in " + files}
	}
	if key != "" && !has(keys, key) {
		return missing("key", key, keys)
	}
	if !named {
		return missing("node", choice.Node, nodes)
	}
	for _, c := range pick.where {
		if c.op != "!=" && !has(keys, c.key) {
			return missing("key", c.key, keys)
		}
	}
	return nil
}
