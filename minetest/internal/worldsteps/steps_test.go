package worldsteps

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// line makes a world whose nodes at 0 to 3 along x are m:a, water, a chest and air.
func line(t *testing.T) (dir string) {
	b := mapblock.New(29)
	b.Flags = mapblock.NotAllAir
	for x, n := range []struct {
		name   string
		param2 uint8
	}{{"m:a", 3}, {"default:water_source", 0}, {"default:chest", 1}} {
		if err := b.SetNode(x, n.name, 0, n.param2); err != nil {
			t.Fatal(err)
		}
	}
	b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{Pos: 2, Vars: []mapblock.Var{{Key: "owner", Value: "ann"}},
		Inventory: []byte("List main 1\nWidth 0\nItem m:dirt 5\nEndInventoryList\nEndInventory\n")}}}
	b.Timers.List = []mapblock.Timer{{Pos: 2, Timeout: 1500}}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite},
		func(yield func(mapdb.Block, error) bool) { yield(mapdb.Block{Data: data}, nil) })
}

// shown returns the nodes of the line, its metadata, items and timer, and the storage of a mod.
func shown(t *testing.T, w *worldedit.World) string {
	data, err := w.Get(t.Context(), mapdb.Pos{})
	b, err2 := mapblock.Decode(data)
	storage, err3 := w.Storage(t.Context())
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	var words []string
	nodes := b.Nodes()
	for x := range 4 {
		words = append(words, fmt.Sprintf("%s/%d", strings.TrimPrefix(nodes.At(x), "default:"), nodes.Param2[x]))
	}
	for _, m := range b.Metadata.List {
		for _, v := range m.Vars {
			words = append(words, v.Key+"="+v.Value)
		}
		inventory, _ := item.SalvageInventory(m.Inventory)
		for _, list := range inventory.Lists {
			words = append(words, list.Items[0].Stack.Name)
		}
	}
	for _, timer := range b.Timers.List {
		words = append(words, fmt.Sprint(timer.Timeout))
	}
	if pig, err := storage.Get(t.Context(), "pig"); err == nil {
		for _, e := range pig.Entries {
			words = append(words, string(e.Key)+":"+string(e.Value))
		}
	}
	return strings.Join(words, " ")
}

// made is a step that is made from options.
type made struct {
	step func(*worldedit.Counts) (worldedit.Step, error)
	name string
}

func makes[T any](step func(T, *worldedit.Counts) (worldedit.Step, error), o T) made {
	return made{func(c *worldedit.Counts) (worldedit.Step, error) { return step(o, c) }, fmt.Sprintf("%T%v", o, o)}
}

// TestSteps tests what the steps change, and which options they refuse.
func TestSteps(t *testing.T) {
	dir := line(t)
	names, none := filepath.Join(t.TempDir(), "names"), filepath.Join(t.TempDir(), "none")
	judge.Write(t, names, []byte("m:placed # by hand\n"))
	judge.Write(t, none, []byte("# nothing\n"))
	in := func(box string) (r worldjob.Region) { r.Box = box; return r }
	piece := func(box string) PieceOptions { return PieceOptions{Shapes: in(box).Shapes} }
	const (
		line, first = "0,0,0:3,0,0", "0,0,0:0,0,0"
		rest        = " owner=ann m:dirt 1500 count:7"
		same        = "m:a/3 water_source/0 chest/1 air/0" + rest
		stone       = "m:b/0 water_source/0 chest/1 air/0" + rest
		byte7       = "m:b/7 water_source/0 chest/1 air/0" + rest
		kept        = "m:b/3 water_source/0 chest/1 air/0" + rest
	)
	param2 := func(n int) Painting { return Painting{Param2: &n} }
	radius := func(n int, center string) ChunkOptions { return ChunkOptions{Radius: &n, Center: center} }
	chunks := func(n int, center string) DeleteChunksOptions {
		return DeleteChunksOptions{ChunkOptions: radius(n, center)}
	}
	box := ChunkOptions{Bounds: worldjob.Bounds{Box: "0,0,0:1,1,1"}, Center: "0,0"}
	prune := func(rare, margin, radius int, file string) PruneOptions {
		return PruneOptions{Rare: rare, Margin: margin, Protectors: worldjob.Protectors{Radius: radius}, PlacedFile: file}
	}
	low, high := fmt.Sprint(worldedit.MinNode), fmt.Sprint(worldedit.MaxNode)
	for _, c := range []struct {
		made
		want string // the line, or the beginning of an error
	}{
		{makes(Set, SetOptions{Node: "m:b", Region: in(first)}), stone},
		{makes(Set, SetOptions{Node: "m:b", Painting: param2(7), Region: in(first)}), byte7},
		{makes(Set, SetOptions{Node: "m:b", KeptParam2: KeptParam2{true}, Region: in(first)}), kept},
		{makes(Set, SetOptions{Node: "m:b", KeptParam2: KeptParam2{true}, Painting: param2(7), Region: in(first)}),
			"--param2 and --keep-param2"},
		{makes(Set, SetOptions{Node: "m:*", Region: in(first)}), `"m:*" is not a valid name`},
		{makes(Set, SetOptions{Node: "m:b"}), "expected where"},
		{makes(Replace, ReplaceOptions{From: "m:a", To: "m:b"}), kept},
		{makes(Replace, ReplaceOptions{From: "m:a", To: "m:b", Painting: param2(0)}), stone},
		{makes(Replace, ReplaceOptions{From: "m:a", To: "m:b", Painting: param2(256)}), "--param2 256: expected 0 to 255"},
		{makes(Replace, ReplaceOptions{From: "m:a", To: "m:b", Painting: param2(-1)}), "--param2 -1: expected 0 to 255"},
		{makes(Replace, ReplaceOptions{From: "m:a", To: "m:b", Region: in("1,1")}), `--box "1,1"`},
		{makes(Replace, ReplaceOptions{From: "*:chest", To: "m:b"}), "m:a/3 water_source/0 m:b/1 air/0 count:7"},
		{makes(Replace, ReplaceOptions{From: "*:chest", To: "m:b", Painting: Painting{Keeping: Keeping{true}}}),
			"m:a/3 water_source/0 m:b/1 air/0" + rest},
		{makes(ReplaceOthers, ReplaceOthersOptions{Keep: "*:water*", To: "m:b", KeptParam2: KeptParam2{true}, Region: in("0,0,0:1,0,0")}), kept},
		{makes(Mix, MixOptions{Nodes: []string{"m:b=2"}, Region: in(first)}), stone},
		{makes(Mix, MixOptions{Nodes: []string{"m:b=x"}, Region: in(first)}), `"m:b=x": expected a name and a weight`},
		{makes(Drain, DrainOptions{Region: in(line)}), "m:a/3 air/0 chest/1 air/0" + rest},
		{makes(SetParam2, SetParam2Options{Value: 255, Region: in(first)}), "m:a/255 water_source/0 chest/1 air/0" + rest},
		{makes(SetParam2, SetParam2Options{Value: 256, Region: in(first)}), "expected 0 to 255, not 256"},
		{makes(Orient, OrientOptions{Rotation{AxisArg{"y"}, "90"}, in(line)}), "m:a/3 water_source/0 chest/2 air/0" + rest},
		{makes(Orient, OrientOptions{Rotation{AxisArg{"w"}, "90"}, in(line)}), `"w": expected x, y or z`},
		{makes(Light, LightOptions{Box: "5,5,5:6,6,6", Area: "9,9,9:9,9,9"}), "the region is empty"},
		{makes(Copy, WayOptions{"3,0,0", piece(first)}), "m:a/3 water_source/0 chest/1 m:a/3" + rest},
		{makes(Move, WayOptions{"3,0,0", piece(first)}), "air/0 water_source/0 chest/1 m:a/3" + rest},
		{makes(Stack, StackOptions{WayOptions{"3,0,0", piece(first)}, 1}), "m:a/3 water_source/0 chest/1 m:a/3" + rest},
		{makes(Stack, StackOptions{WayOptions{"3,0,0", piece(first)}, 0}), "expected 1 to 10000 copies"},
		{makes(Stack, StackOptions{WayOptions{"3,0,0", piece(first)}, 10001}), "expected 1 to 10000 copies"},
		{makes(Stretch, StretchOptions{"2,1,1", piece(first)}), "m:a/3 m:a/3 chest/1 air/0" + rest},
		{makes(Stretch, StretchOptions{"2", piece(first)}), `"2": expected a factor`},
		{makes(Flip, FlipOptions{AxisArg{"x"}, TurnOptions{PieceOptions: piece(line)}}), "air/0 chest/1 water_source/0 m:a/3" + rest},
		{makes(Flip, FlipOptions{AxisArg{"x"}, TurnOptions{}}), "expected a part of the world"},
		{makes(Transpose, TransposeOptions{"x", "x", TurnOptions{PieceOptions: piece(line)}}), "expected two different axes"},
		{makes(Rotate, RotateOptions{Rotation{AxisArg{"y"}, "180"}, TurnOptions{PieceOptions: piece(line)}}),
			"air/0 chest/1 water_source/0 m:a/3" + rest},
		{makes(SetMetadata, SetMetadataOptions{Key: "owner", Value: "bob"}), strings.ReplaceAll(same, "ann", "bob")},
		{makes(SetMetadata, SetMetadataOptions{Key: "owner", Value: "bob", All: true}), "expected where"},
		{makes(DeleteMetadata, DeleteMetadataOptions{Key: "owner", Region: in(line)}), strings.ReplaceAll(same, " owner=ann", "")},
		{makes(DeleteMetadata, DeleteMetadataOptions{}), "expected where"},
		{makes(DeleteTimers, in(line)), strings.ReplaceAll(same, " 1500", "")},
		{makes(DeleteObjects, DeleteObjectsOptions{Region: worldjob.Region{Shapes: worldjob.Shapes{Where: []string{"node=m:a"}}}}),
			"--where selects nodes"},
		{makes(ReplaceItems, ReplaceItemsOptions{Item: "m:dirt", New: "m:mud"}), strings.ReplaceAll(same, "m:dirt", "m:mud")},
		{makes(DeleteItems, DeleteItemsOptions{Item: "m:dirt"}), strings.ReplaceAll(same, "m:dirt", "")},
		{makes(DeleteChunks, chunks(100, "0,0")), "all 1 block: the selection contains everything"},
		{makes(DeleteChunks, chunks(1, "0,0")), same},
		{makes(DeleteChunks, chunks(100, "0,5000")), same},
		{makes(DeleteChunks, chunks(100, "5000,0")), same},
		{makes(DeleteChunks, chunks(100, low+","+high)), same},
		{makes(DeleteChunks, chunks(100, high+","+low)), same},
		{makes(DeleteChunks, chunks(100, "0,40000")), `--center "0,40000"`},
		{makes(DeleteChunks, chunks(100, "-40000,0")), `--center "-40000,0"`},
		{makes(DeleteChunks, chunks(0, "0,0")), "--radius 0: expected 1 or more"},
		{makes(DeleteChunks, DeleteChunksOptions{ChunkOptions: ChunkOptions{Center: "0,0"}}), "expected --box"},
		{makes(DeleteChunks, DeleteChunksOptions{ChunkOptions: box, Touching: true}), "all 1 block: the selection contains everything"},
		{makes(DeleteChunks, DeleteChunksOptions{ChunkOptions: radius(100, "0,0"), Invert: true}), same},
		{makes(DeleteChunks, DeleteChunksOptions{ChunkOptions: radius(100, "5000,0"), Invert: true}), "all 1 block: the selection"},
		{makes(DeleteChunks, DeleteChunksOptions{ChunkOptions: ChunkOptions{Center: "0,0"}, Invert: true}), "expected --box"},
		{makes(KeepChunks, radius(100, "0,0")), same},
		{makes(KeepChunks, radius(100, "5000,0")), "all 1 block: the selection contains everything"},
		{makes(Prune, prune(1, 0, 1, names)), same},
		{makes(Prune, prune(1, 0, 1, none)), none + ": the file contains no name"},
		{makes(Prune, prune(1, 101, 1, "")), "expected --margin"},
		{makes(Prune, prune(0, 0, 1, "")), "expected --margin"},
		{makes(Prune, prune(1, 0, 1001, "")), "expected --margin"},
		{makes(Ban, BanOptions{"mallory", nil}), `"mallory": expected an address`},
		{makes(Ban, BanOptions{"192.0.2.7", []string{"a", "b"}}), "expected one address and one name"},
		{makes(SetStorage, SetStorageOptions{Mod: "pig", Key: "count", Values: []string{"8"}}), strings.ReplaceAll(same, ":7", ":8")},
		{makes(SetStorage, SetStorageOptions{Mod: "pig", Key: "count", FromFile: names}),
			strings.ReplaceAll(same, ":7", ":m:placed # by hand\n")},
		{makes(SetStorage, SetStorageOptions{Mod: "pig", Key: "count"}), "expected one value"},
		{makes(SetStorage, SetStorageOptions{Mod: "pig", Key: "count", Values: []string{"8", "9"}}), "expected one value"},
		{makes(SetStorage, SetStorageOptions{Mod: "pig", Key: "count", Values: []string{"8"}, FromFile: names}), "expected one value"},
		{makes(DeleteStorage, DeleteStorageOptions{Mod: "pig", Keys: []string{"count"}}), strings.TrimSuffix(same, " count:7")},
	} {
		step, err := c.step(new(worldedit.Counts))
		got := ""
		if err == nil {
			got, err = after(t, dir, step)
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// after returns the line after a step.
func after(t *testing.T, dir string, step worldedit.Step) (string, error) {
	w, err := worldedit.Open(t.Context(), dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	err = w.Do(t.Context(), step)
	return shown(t, w), err
}

// replacing is a command that replaces nodes.
var replacing = Bind(format.Command{Name: "replace"}, Replace)

// TestPreview tests what several steps change and report, and which names they refuse.
func TestPreview(t *testing.T) {
	dir, nodes := line(t), filepath.Join(t.TempDir(), "nodes.json")
	judge.Write(t, nodes, []byte(`{"format":"trowel-nodes","version":1,"nodes":[{"name":"m:b"},`+
		`{"name":"air","paramtype":"light","sunlight_propagates":true}]}`))
	editing := Editing([]*format.Command{replacing}, nil)
	for _, c := range []struct{ words, want string }{
		{"replace m:a m:b then replace *:chest m:b", "m:b/3 water_source/0 m:b/1 air/0 count:7" +
			"; 0 replace m:a m:b; 1 replace *:chest m:b; 1 replace *:chest m:b: metadata and timers; 1 light"},
		{"replace m:a m:c", `replace: no node "m:c" in the world or in the definitions, --new-name confirms a new name, known: [m:b]`},
		{"replace m:a m:c --new-name then replace m:x m:b", `replace: no node "m:x" in the world, , known: [m:c m:b]`},
	} {
		job := &format.Job{Values: map[string]string{"nodes": nodes}}
		steps, err := format.ParseSteps(job, editing.Commands, strings.Fields(c.words))
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		to := filepath.Join(t.TempDir(), "preview")
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		end, err := editing.Preview(t.Context(), job, &format.Source{Dir: dir, Path: dir}, steps, to, func(step int, c check.Change) error {
			changes = append(changes, fmt.Sprintf("; %d %s", step, c.What))
			return nil
		})
		got := ""
		if err == nil {
			got, err = after(t, to, sequence(nil))
			got, err = got+strings.Join(changes, ""), errors.Join(err, end())
		} else if missing, ok := errors.AsType[*fault.NameError](err); ok {
			ours := slices.DeleteFunc(missing.Names, func(name string) bool { return !strings.HasPrefix(name, "m:") })
			got, err = fmt.Sprintf("%v, %s, known: %v", err, missing.Advice, ours), nil
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.words, err, got, c.want)
		}
	}
}

// planFile is the output of a plan.
type planFile struct {
	format.Output
	*os.File
}

func (f planFile) Create(string) (format.Part, error) { return f.File, nil }

// TestPutBack tests which part of a snapshot is put back, and when the plan for a running server warns about the mod.
func TestPutBack(t *testing.T) {
	dir := line(t)
	folder := filepath.Join(t.TempDir(), "repo")
	repo := &format.Source{Dir: folder, Path: folder}
	if _, err := worldrepo.Backup(t.Context(), dir, repo.Files(), worldrepo.Options{}); err != nil {
		t.Fatal(err)
	}
	settings := string(judge.Read(t, filepath.Join(dir, "world.mt")))
	region := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{}, worldedit.Vec{3})}
	all := sequence{worldedit.Set(region, "m:z", worldedit.Setting{Counts: new(worldedit.Counts)})}
	for _, c := range []struct{ box, moment, mod, want, plan string }{
		{"0,0,0:1,0,0", "", "", "m:a/3 water_source/0 m:z/0 m:z/0 count:7", "the world lacks the mod trowel_rewind"},
		{"2,0,0:2,0,0", "", "true", "m:z/0 m:z/0 chest/1 m:z/0 owner=ann m:dirt 1500 count:7", ""},
		{"2,0,0:2,0,0", "", "false", "m:z/0 m:z/0 chest/1 m:z/0 owner=ann m:dirt 1500 count:7", "the world lacks the mod trowel_rewind"},
		{"0,0", "", "true", `--box "0,0"`, ""},
		{"0,0,0:1,0,0", "2001-01-01", "true", "the oldest snapshot is of", ""},
	} {
		if c.mod != "" {
			judge.Write(t, filepath.Join(dir, "world.mt"), []byte(settings+"load_mod_trowel_rewind = "+c.mod+"\n"))
		}
		var said []string
		job := &format.Job{Values: map[string]string{"repository": folder, "box": c.box, "moment": c.moment},
			Reports: format.Reports{
				OnWarn: func(_, text string) { said = append(said, text) },
				OnDone: func(text string) { said = append(said, text) },
			}}
		step, err := PutBack(format.Command{}).Do.(makeStep)(job, new(worldedit.Counts))
		got := ""
		if err == nil {
			got, err = after(t, dir, append(all, step))
		}
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && (got != c.want || len(said) != 1) {
			t.Errorf("%v: %v, %s, %q", c, err, got, said)
		}
		file, err2 := os.Create(filepath.Join(t.TempDir(), "plan"))
		if err2 != nil {
			t.Fatal(err2)
		}
		said = nil
		err2 = Plan(t.Context(), job, repo, &format.Source{Dir: dir, Path: dir}, planFile{nil, file})
		plan := judge.Read(t, file.Name())
		file.Close()
		if text := strings.Join(said, "; "); (err2 == nil) != (err == nil) || (err == nil) != strings.HasPrefix(string(plan), "trowelrp") ||
			err == nil && (c.plan == "") != !strings.Contains(text, "lacks the mod") || !strings.Contains(text, c.plan) {
			t.Errorf("%v: plan: %v, %s, %q", c, err2, text, plan)
		}
	}
}
