package world_test

import (
	"errors"
	"slices"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/world"
)

// placed fails if an error has no place.
func placed(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%#v", err)
	}
}

func FuzzParsePlayer(f *testing.F) {
	f.Add([]byte(playerText), 5)
	f.Add([]byte("name = a\nextended_attributes = [1]\nposition = (nan,inf,1e999)\nPlayerArgsEnd\nEndInventory\n\x00\x00"), 20)
	f.Fuzz(func(t *testing.T, text []byte, hp int) {
		p, err := world.SalvagePlayer(text)
		if err != nil {
			placed(t, err)
			return
		}
		got, err := p.Append(nil)
		if err != nil || string(got) != string(text) {
			t.Fatalf("%q became %q, %v", text, got, err)
		}
		p.HP = hp
		if got, err = p.Append(nil); err != nil {
			t.Fatal(err)
		}
		again, err := world.SalvagePlayer(got)
		if err != nil || again.HP != int(int32(hp)) && hp == int(int32(hp)) || again.Name != p.Name || !again.Inventory.Equal(p.Inventory) {
			t.Fatalf("%q with hp %d is %q: %v", text, hp, got, err)
		}
	})
}

func FuzzPlayerRecord(f *testing.F) {
	for _, p := range samplePlayers(f) {
		data, err := p.AppendRecord(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := world.SalvagePlayerRecord("a", data)
		if err != nil {
			placed(t, err)
			return
		}
		if got, err := p.AppendRecord(nil); err != nil || !slices.Equal(got, data) {
			t.Fatalf("% x became % x, %v", data, got, err)
		}
		p.HP ^= 1
		changed, err := p.AppendRecord(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := world.SalvagePlayerRecord("a", changed)
		if err != nil || again.HP != p.HP || !slices.Equal(again.Attributes, p.Attributes) || !again.Inventory.Equal(p.Inventory) {
			t.Fatalf("% x changed is % x, %v", data, changed, err)
		}
	})
}

func FuzzAccountRecord(f *testing.F) {
	data, err := (&world.Account{Name: "a", Password: "x", Privileges: []string{"fly", ""}, LastLogin: -1}).AppendRecord(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := world.ParseAccountRecord("a", data)
		if err != nil {
			placed(t, err)
			return
		}
		if got, err := a.AppendRecord(nil); err != nil || !slices.Equal(got, data) {
			t.Fatalf("% x became % x, %v", data, got, err)
		}
	})
}

func FuzzAuthFile(f *testing.F) {
	f.Add([]byte(authText), "Foo", int64(7))
	f.Fuzz(func(t *testing.T, text []byte, name string, login int64) {
		file := world.ParseAuthFile(text)
		if got := file.Append(nil); !slices.Equal(got, text) {
			t.Fatalf("%q became %q", text, got)
		}
		a := &world.Account{Name: name, Privileges: []string{"fly"}, LastLogin: login}
		if file.Put(a) != nil {
			return
		}
		got := world.ParseAuthFile(file.Append(nil)).Get(name)
		if got == nil || got.LastLogin != login || !slices.Equal(got.Privileges, a.Privileges) {
			t.Fatalf("%q with %q is %q", text, name, file.Append(nil))
		}
	})
}

// FuzzTexts parses a text as each of the small files.
func FuzzTexts(f *testing.F) {
	f.Add([]byte("192.0.2.7|foo\nodd"))
	f.Add([]byte("return {[140737488388096]=1,[281472829390847]=3}"))
	f.Add([]byte("{\"a\":1,\"b\":\"\\u0000\"}"))
	f.Add([]byte{0, 0, 0, 0, 1, 0xff, 0xfe, 0, 3, 10})
	f.Add([]byte("lbm_introduction_times = a:b~0;c;\nEnvArgsEnd\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		same := func(what string, got []byte, err error) {
			t.Helper()
			if placed(t, err); err == nil && !slices.Equal(got, text) {
				t.Fatalf("%s: %q became %q", what, text, got)
			}
		}
		same("bans", world.ParseBans(text).Append(nil), nil)
		if forced, err := world.ParseForceLoaded(text); err != nil {
			same("force_loaded", nil, err)
		} else if same("force_loaded", forced.Append(nil), nil); len(forced.Blocks) > 0 {
			forced.Blocks[0].Count++
			again, err := world.ParseForceLoaded(forced.Append(nil))
			if err != nil || !slices.Equal(again.Blocks, forced.Blocks) {
				t.Fatalf("%q written again: %v", text, err)
			}
		}
		if mod, err := world.ParseModFile("m", text); err != nil {
			same("mod", nil, err)
		} else {
			got, err := mod.Append(nil)
			same("mod", got, err)
		}
		list, err := world.ParseChunkMeta(text)
		same("chunk_meta", world.AppendChunkMeta(nil, list), err)
		for range world.ParseSettings(text, world.EnvMetaEnd).LBMs() {
		}
	})
}

func BenchmarkParsePlayer(b *testing.B) {
	b.SetBytes(int64(len(playerText)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := world.ParsePlayer([]byte(playerText)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewVerifier(b *testing.B) {
	for b.Loop() {
		world.NewVerifier("celeron55", "password")
	}
}
