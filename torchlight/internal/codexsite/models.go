package codexsite

import (
	"bytes"
	"context"
	"errors"
	"maps"
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
	groups := make(map[string][]*codex.Thing)
	for kind, v := range w.data.All() {
		t := v.Common()
		if key := shape(t); key != "" && (kind == codex.KindItem || kind == codex.KindUnit) {
			groups[key] = append(groups[key], t)
		}
	}
	keys := slices.Sorted(maps.Keys(groups))
	var mu sync.Mutex
	done := 0
	var failed error
	parallel.Each(len(keys), func(i int) {
		if ctx.Err() != nil {
			return
		}
		group := groups[keys[i]]
		m, err := w.make("model\x00"+keys[i], group[0].Files, func(files figure.Files) (parts, string, error) {
			m, err := modscene.ModelOf(files, group[0].Files[0])
			var data bytes.Buffer
			if err == nil {
				unname(m.Nodes)
				err = gltf.Write(&data, m)
			}
			if err != nil {
				return nil, "", nil // check reports what is missing
			}
			return parts{"models/" + hashOf(data.String()) + ".glb": data.Bytes()}, "", nil
		})
		mu.Lock()
		defer mu.Unlock()
		done++
		w.Progress("models", done, len(keys))
		failed = errors.Join(failed, err)
		for _, name := range m.Parts {
			for _, t := range group {
				w.models[t] = strings.TrimSuffix(path.Base(name), ".glb")
			}
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

// shape returns the values on which the model of a thing depends, apart from the files that they name, or "" if it has none.
func shape(t *codex.Thing) string {
	var keys [4]string
	for _, v := range t.Values {
		if i := slices.Index([]string{"MESHFILE", "RESOURCEDIRECTORY", "SCALE", "TEXTURE_OVERRIDE"}, v.Key); i >= 0 && v.Value != "" {
			keys[i] = strings.ToUpper(v.Value)
		}
	}
	if keys[0] == "" || len(t.Files) == 0 {
		return ""
	}
	return strings.Join(keys[:], "\x00")
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
