package mapscene

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
)

var (
	optionEntities = format.Option{Name: "entities", Type: format.Integer, For: format.ForScene, Default: "0",
		Help: "the opacity of the entities, in `percent`: at 100 they hide the rest of the map"}
	optionEntitiesImage = format.Option{Name: "entities-image", For: format.ForScene, Access: format.Access{Input: true},
		Help: "a `picture` of 16 x 16 entities to use instead of Trowel's own signs, or the name of one of DDNet's: " +
			"ddnet, ddrace, race, blockworlds, fng, vanilla or f-ddrace"}
	optionMapres = format.Option{Name: "mapres", For: format.ForScene, List: true, Access: format.Access{Input: true},
		Help: "a `folder` with pictures of external images, searched before those of the games"}
	optionMapresOf = format.Option{Name: "mapres-of", For: format.ForScene, Drawing: format.Drawing{Title: "Pictures of"},
		Choices: []string{"auto", "0.6", "0.7"}, Default: "auto",
		Help: "the game whose pictures are used if several games have one of that name: auto, 0.6 (and DDNet) or 0.7"}
	optionMissing = format.Option{Name: "missing", For: format.ForScene, Drawing: format.Drawing{Title: "Missing pictures"},
		Choices: []string{"hatch", "game", "checker"}, Default: "hatch",
		Help: "how a missing picture is drawn: in one tone with a light hatch, in four colours as in the game, or as a checkerboard"}
	optionZoom = format.Option{Name: "zoom", Type: format.Number, For: format.ForScene,
		Drawing: format.Drawing{Views: []string{format.ViewCamera}},
		Help:    "the zoom of the game's camera; more than 1 shows more (default: 1)"}
)

// Options are the options of scenes.
var Options = []format.Option{
	optionEntities, optionEntitiesImage, optionMapres, optionMapresOf, optionMissing, format.OptionAt, optionZoom,
}

// drawOptions returns the options of a job.
func drawOptions(job *format.Job, src *format.Source) (o mapdraw.Options, err error) {
	if o, err = (Pictures{optionMapres.Values(job), optionMapresOf.Value(job)}).Options(src); err != nil {
		return o, err
	}
	o.Entities = optionEntities.Integer(job)
	missing := optionMissing.Value(job)
	o.Checker, o.Hatch = missing == "checker", missing != "game"
	if name := optionEntitiesImage.Value(job); name != "" {
		o.EntitiesImage, err = entitiesImage(name)
		if err != nil {
			return o, fmt.Errorf("--%s: %w", optionEntitiesImage.Name, err)
		}
		base := filepath.Base(name)
		o.Mask = mapdraw.MaskOf(strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return o, nil
}

// Pictures selects the pictures of external images.
type Pictures struct {
	Mapres []string `option:"mapres"`
	Of     string   `option:"mapres-of"`
}

// Describe describes the options, as those of a command.
func (Pictures) Describe(o *format.Option) {
	o.As(optionMapres)
	o.As(optionMapresOf)
	o.For = 0
}

// Options returns the options that draw the map src with the pictures.
func (p Pictures) Options(src *format.Source) (o mapdraw.Options, err error) {
	o.Game = map[string]mapdraw.Game{"0.6": mapdraw.Game06, "0.7": mapdraw.Game07}[p.Of]
	for _, dir := range p.Mapres {
		if st, err := os.Stat(dir); err != nil {
			return o, fmt.Errorf("--%s: %w", optionMapres.Name, err)
		} else if !st.IsDir() {
			return o, fmt.Errorf("--%s: %s is not a folder", optionMapres.Name, dir)
		}
		o.Mapres = append(o.Mapres, dir)
	}
	o.Mapres = append(append(o.Mapres, mapresNear(src)...), mapdraw.MapresFolders()...)
	return o, nil
}

// DataNear returns the possible data folders of the game for a map in the maps folder of a client: the parent of that
// folder, as for the user's own data, and the folder data next to it.
func DataNear(src *format.Source) []string {
	if len(src.Reads()) == 0 {
		return nil // not a file
	}
	return dataNear(src.Path)
}

func dataNear(path string) []string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil
	}
	switch filepath.Base(dir) {
	case "maps", "maps7", "downloadedmaps":
		return []string{filepath.Dir(dir), filepath.Join(dir, "..", "data")}
	}
	return nil
}

// Around returns the data folders of the game for the file at a path, in which the folder of pictures may have links.
func Around(path string) (dirs []string) {
	for _, dir := range append(dataNear(path), mapdraw.DataFolders()...) {
		dirs = append(append(dirs, dir), regular.LinkTargets(filepath.Join(dir, "mapres"), 1)...)
	}
	return dirs
}

// mapresNear returns the folders of pictures for a map of this kind that src may read.
func mapresNear(src *format.Source) (dirs []string) {
	for _, data := range DataNear(src) {
		if dir := filepath.Join(data, "mapres"); src.May == nil || src.May(dir) == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// entitiesImage reads a picture of entities: a file, or one of DDNet's by name.
func entitiesImage(name string) (*image.NRGBA, error) {
	path := name
	if !strings.ContainsAny(name, `./\`) {
		for _, dir := range mapdraw.DataFolders() {
			own := filepath.Join(dir, "editor", "entities_clear", name+".png")
			if _, err := os.Stat(own); err == nil {
				path = own
				break
			}
		}
	}
	return mapdraw.ReadPNG(path)
}
