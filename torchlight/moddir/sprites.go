package moddir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io/fs"
	"path"
	"strings"
	"sync"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/pixel"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/picture"
)

// On request the folder has the sprites of image sets, each as a PNG:
//
//	SPRITES/MEDIA/UI/X.IMAGESET/NAME.png
//
// They are not part of the mod. When a mod is built, sprites that were changed since they were created are put into the
// picture of their image set. The sidecar has the checksums that show which are changed.

// spritesDir is the folder of the sprites.
const spritesDir = "SPRITES"

// spriteAt returns the path of a sprite in the folder.
func spriteAt(set, name string) string {
	return spritesDir + "/" + set + "/" + safename.Escape(name) + ".png"
}

// sheets decodes the pictures of image sets. It caches the last one, because the sprites of a set are read one after
// the other.
type sheets struct {
	mu   sync.Mutex
	path string
	m    *image.NRGBA
	err  error
}

// get returns the picture with a path. It calls content to read the picture.
func (s *sheets) get(path string, content func() ([]byte, error)) (*image.NRGBA, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != path {
		s.path = path
		data, err := content()
		if err == nil {
			s.m, err = picture.Decode(path, data)
		}
		s.err = err
	}
	return s.m, s.err
}

// addSprites adds the sprites of all image sets whose picture exists.
func (s *shown) addSprites() {
	var cache sheets
	work := effort.Sprites.Start(s.archive.Size())
	files := make(map[string]*shownFile)
	for _, f := range s.files {
		files[gameName(f.file.Path)] = f
	}
	for _, f := range s.files {
		if !isImageSet(f.file.Path) {
			continue
		}
		data, err := f.file.Content()
		if err != nil {
			continue // check reports it
		}
		set, _ := imageset.Parse(data) // check reports its problems
		if set == nil {
			continue
		}
		var sheet *image.NRGBA
		from := files[gameName(set.File)]
		if from == nil {
			err = fmt.Errorf("picture %s is not in the mod", set.File)
		} else if sheet, err = cache.get(from.at, from.file.Content); err != nil {
			err = fmt.Errorf("picture %s: %w", set.File, err)
		} else {
			err = set.Spend(work, sheet)
		}
		if err != nil {
			if s.options.OnSprites != nil {
				s.options.OnSprites(f.at, err)
			}
			continue
		}
		have := make(map[string]bool)
		for _, sprite := range set.Sprites {
			at := spriteAt(f.at, sprite.Name)
			if key := safename.Fold(at); !have[key] && !sprite.Cut(sheet).Rect.Empty() { // of two sprites with one name the game uses one
				have[key] = true
				s.sprites = append(s.sprites, at)
				s.Add(at, tree.Meta{Stored: -1, Note: "sprite"}, func() ([]byte, error) {
					sheet, err := cache.get(from.at, from.file.Content)
					if err != nil {
						return nil, err
					}
					var b bytes.Buffer
					err = png.Encode(&b, pixel.NRGBA(sprite.Cut(sheet)))
					return b.Bytes(), err
				})
			}
		}
	}
}

// spriteSums returns the checksums of the unchanged sprites, by their paths.
func (s *shown) spriteSums() (map[string]uint32, error) {
	sums := make(map[string]uint32)
	for _, at := range s.sprites {
		data, err := s.ReadFile(at)
		if err != nil {
			return nil, err
		}
		sums[at] = crc32.ChecksumIEEE(data)
	}
	return sums, nil
}

func isImageSet(name string) bool { return strings.EqualFold(path.Ext(name), ".IMAGESET") }

// spriteSet is an image set that has sprites in the folder.
type spriteSet struct {
	*imageset.Set
	at string
}

// findSprites finds the image sets that have sprites in the folder, by the pictures that contain the sprites.
func (f *folder) findSprites() error {
	if _, err := fs.Stat(f.fsys, spritesDir); err != nil {
		return nil
	}
	f.sprites = make(map[string][]spriteSet)
	for _, s := range f.sources {
		if !isImageSet(s.path) {
			continue
		}
		if _, err := fs.Stat(f.fsys, spritesDir+"/"+s.at); err != nil {
			continue
		}
		data, err := fs.ReadFile(f.fsys, s.at)
		if err != nil {
			return err
		}
		set, err := imageset.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.at, err)
		}
		sheet := gameName(set.File)
		f.sprites[sheet] = append(f.sprites[sheet], spriteSet{set, s.at})
	}
	return nil
}

// assemble puts changed sprites into the picture that contains them.
func (f *folder) assemble(s *source, data []byte) ([]byte, error) {
	var made *image.NRGBA
	for _, set := range f.sprites[s.path] {
		for _, sprite := range set.Sprites {
			at := spriteAt(set.at, sprite.Name)
			file, err := fs.ReadFile(f.fsys, at)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if sum, known := f.side.Sprites[at]; known && sum == crc32.ChecksumIEEE(file) {
				continue
			}
			m, err := picture.Decode(at, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			if made == nil {
				old, err := picture.Decode(s.path, data)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.at, err)
				}
				made = &image.NRGBA{Pix: bytes.Clone(old.Pix), Stride: old.Stride, Rect: old.Rect}
			}
			to := sprite.Cut(made)
			if to.Rect.Size() != m.Rect.Size() {
				return nil, fmt.Errorf("%s: expected %d × %d pixels, as %s states, found %d × %d", at, to.Rect.Dx(),
					to.Rect.Dy(), set.at, m.Rect.Dx(), m.Rect.Dy())
			}
			for y := range m.Rect.Dy() {
				copy(to.Pix[y*to.Stride:], m.Pix[y*m.Stride:][:4*m.Rect.Dx()])
			}
		}
	}
	if made == nil {
		return data, nil
	}
	return picture.Replace(s.path, data, made)
}
