package worldfile

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// Publish copies the parts of a world from which its pictures are made. All other files can contain secrets.
func Publish(ctx context.Context, job *format.Job, src *format.Source, dir string) error {
	_, err := worldcopy.Copy(ctx, src.Dir, dir, worldcopy.Options{
		Only: isPublic,
		Sink: worldjob.Sink(job, worldcopy.Losses()),
		Finish: func(_ context.Context, _ string, settings *world.Settings) error {
			for name := range settings.All() {
				if !slices.Contains(publicSettings, name) {
					defer settings.Remove(name)
				}
			}
			return nil
		},
		OnProgress: job.Report,
	})
	if err == nil {
		job.Done("%s: without players, accounts, mod storage and other private data", filepath.Base(src.Dir))
	}
	return err
}

var publicSettings = []string{"gameid", "world_name", world.MapPart.Setting(), world.SettingReadonly}

// publicEndings are the ends of the names of pictures and models of mods, and of files that name mods and their order.
var publicEndings = []string{".png", ".jpg", ".jpeg", ".tga", ".bmp", ".obj", ".b3d", ".x", ".gltf", ".glb", ".conf", "/depends.txt",
	"/modpack.txt"}

// isPublic reports whether everybody may see the file or folder at a path of a world.
func isPublic(at string, folder bool) bool {
	top, below, _ := strings.Cut(at, "/")
	switch top {
	case protect.AreasFile, nodecolor.FileName, nodedef.FileName:
		return true
	case mapdb.UnderFolder:
		return below == "" || isBlocks(below)
	case "worldmods", "game": // with pictures and models of nodes
		return folder || slices.ContainsFunc(publicEndings, func(end string) bool { return strings.HasSuffix(strings.ToLower(at), end) })
	}
	return isBlocks(at)
}

// isBlocks reports whether a path of a world is a database of blocks, or in one.
func isBlocks(at string) bool {
	top, _, _ := strings.Cut(at, "/")
	for _, backend := range append(world.MapPart.Backends(), mapdb.Sectors) {
		for _, file := range world.MapPart.Files(backend) {
			if top == file {
				return true
			}
		}
	}
	return false
}
