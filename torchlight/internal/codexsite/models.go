package codexsite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/gltf"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/modscene"
)

// putModels writes the models of items and units, each once, and what shows them. A thing whose model cannot be made has none.
func (w *writer) putModels(ctx context.Context) error {
	w.models = make(map[*codex.Thing]string)
	files := figure.Files{Read: w.content, List: w.names()}
	var things []*codex.Thing
	for _, v := range w.data.Items {
		things = append(things, &v.Thing)
	}
	for _, v := range w.data.Units {
		things = append(things, &v.Thing)
	}
	things = slices.DeleteFunc(things, func(t *codex.Thing) bool { return len(t.Files) == 0 })
	var mu sync.Mutex
	done := 0
	var failed error
	parallel.Each(len(things), func(i int) {
		if ctx.Err() != nil {
			return
		}
		m, err := modscene.ModelOf(files, things[i].Files[0])
		var data bytes.Buffer
		if err == nil {
			unname(m.Nodes)
			err = gltf.Write(&data, m)
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		w.Progress("models", done, len(things))
		if err != nil {
			return // check reports what is missing
		}
		sum := sha256.Sum256(data.Bytes())
		name := fmt.Sprintf("%x", sum[:8])
		w.models[things[i]] = name
		if at := "models/" + name + ".glb"; w.Parts[at] == "" {
			failed = errors.Join(failed, w.put(at, data.Bytes()))
		}
	})
	if failed = errors.Join(failed, ctx.Err()); failed != nil || len(w.models) == 0 {
		return failed
	}
	for _, name := range []string{"gl.js", "glb.js", "paint.js"} {
		data, err := gltf.Scripts.ReadFile(name)
		if err == nil {
			err = w.put(name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unname removes names and facts, which have paths of files: nobody sees them, and models that differ in nothing else are one.
func unname(nodes []*gltf.Node) {
	for _, n := range nodes {
		n.Name = ""
		if n.Skin != nil {
			n.Skin.Name = ""
		}
		if n.Mesh != nil {
			n.Mesh.Name, n.Mesh.Extras = "", nil
			for _, p := range n.Mesh.Primitives {
				if p.Material == nil {
					continue
				}
				p.Material.Name, p.Material.Extras = "", nil
				if p.Material.Texture != nil && p.Material.Texture.Image != nil {
					p.Material.Texture.Image.Name = ""
				}
			}
		}
		unname(n.Children)
	}
}

// names returns a function that lists the names of the files in a folder of the game.
func (w *writer) names() func(folder string) []string {
	in := make(map[string][]string) // by the folder in upper case
	for _, s := range w.sources {
		for name := range s.Files.Files() {
			dir := strings.ToUpper(path.Dir(name))
			in[dir] = append(in[dir], path.Base(name))
		}
	}
	for dir, list := range in {
		slices.Sort(list)
		in[dir] = slices.Compact(list)
	}
	return func(folder string) []string { return in[strings.ToUpper(folder)] }
}
