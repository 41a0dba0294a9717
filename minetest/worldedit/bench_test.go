package worldedit_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// BenchmarkReplace replaces one name in a copy of a world: a name that is in every block, and a name that is in none.
// It alternates with the conversion of the world to version 29, and with the engine's --recompress. The results are
// the medians of five rounds.
func BenchmarkReplace(b *testing.B) {
	judge.Find(b, "minetestserver")
	const rounds = 5
	for _, c := range []struct {
		name string
		n    int
		make func() string
	}{
		{"made", 20_000, func() string {
			return worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20_000, 28)
		}},
		{"real", 60_000, func() string {
			return worldtest.WorldOf(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, worldtest.RealBlocks(b, 60_000, 28))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			src := c.make()
			perSecond := func(do func(dst string)) float64 {
				dst := filepath.Join(b.TempDir(), "dst")
				defer os.RemoveAll(dst)
				start := time.Now()
				do(dst)
				return float64(c.n) / time.Since(start).Seconds()
			}
			edit := func(name string) func(string) {
				return func(dst string) {
					ctx := context.Background()
					w, err := worldedit.Open(ctx, src, worldedit.Options{Scratch: filepath.Dir(dst)})
					if err != nil {
						b.Fatal(err)
					}
					defer w.Close()
					everywhere := worldedit.Region{Box: worldedit.Everywhere}
					err = w.Do(ctx, worldedit.Replace(everywhere, worldedit.Names{name}, "test:new", worldedit.Setting{KeepParam2: true}))
					if err == nil {
						_, err = w.Copy(ctx, dst, name, worldcopy.Options{})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			all := make(map[string][]float64)
			for b.Loop() {
				for range rounds {
					for name, do := range map[string]func(string){
						"all": edit("default:stone"), "none": edit("default:nothing"),
						"convert": func(dst string) {
							if _, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{Blocks: 29}); err != nil {
								b.Fatal(err)
							}
						},
					} {
						all[name] = append(all[name], perSecond(do))
					}
					prepared := filepath.Join(b.TempDir(), "world")
					if err := os.CopyFS(prepared, os.DirFS(src)); err != nil {
						b.Fatal(err)
					}
					all["engine"] = append(all["engine"], perSecond(func(string) { recompress(b, prepared) }))
					os.RemoveAll(prepared)
				}
			}
			for name, list := range all {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name+"-blocks/s")
			}
		})
	}
}

// recompress makes the engine rewrite all blocks of a world.
func recompress(b *testing.B, dir string) {
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	port := listener.LocalAddr().(*net.UDPAddr).Port
	listener.Close()
	home := judge.Dir(b)
	config := filepath.Join(home, "minetest.conf")
	judge.Write(b, config, fmt.Appendf(nil, "bind_address = 127.0.0.1\nport = %d\nserver_announce = false\n", port))
	if said, err := judge.Run(b, home, "minetestserver", "--config", config, "--world", dir, "--gameid", "minetest_game",
		"--logfile", filepath.Join(home, "log"), "--quiet", "--recompress"); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
}
