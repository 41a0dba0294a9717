//go:build !js

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mapresFolder is the folder of the page with pictures of games, which web/pictures.js gives to the program.
const mapresFolder = "mapres/"

// mostMapres is the largest size of all pictures of games, in bytes.
const mostMapres = 8_000_000

// games are the games whose pictures the page has: a folder mapres of each, and the file with its licence.
type games struct{ mapres, license []string }

// addMapres adds the pictures of games, which are loaded when a map names them, and lists them.
func addMapres(all map[string][]byte, g games) error {
	if len(g.mapres) != len(g.license) {
		return errors.New("each -mapres needs a -license, the file with the licence of its pictures")
	}
	type file struct {
		Path string `json:"path"`
		Size int    `json:"size"`
	}
	list, licenses, size := []file{}, []string{}, 0
	for i, dir := range g.mapres {
		// The folder data has pictures of its own.
		names, err := filepath.Glob(filepath.Join(dir, "mapres", "*.png"))
		if len(names) == 0 {
			names, err = filepath.Glob(filepath.Join(dir, "*.png"))
		}
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return fmt.Errorf("-mapres %s: there are no pictures in it: name the folder mapres of a game, or its folder data", dir)
		}
		game := gameOf(filepath.Dir(names[0]))
		license := mapresFolder + game + "/LICENSE.txt"
		if all[license], err = os.ReadFile(g.license[i]); err != nil {
			return err
		}
		licenses = append(licenses, license)
		for _, name := range names {
			at := game + "/" + filepath.Base(name)
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if _, two := all[mapresFolder+at]; two {
				return fmt.Errorf("-mapres %s: another folder of this game is named, too", dir)
			}
			all[mapresFolder+at] = data
			list = append(list, file{at, len(data)})
			size += len(data)
		}
	}
	if size > mostMapres {
		return fmt.Errorf("the pictures of games have %d bytes: a page has at most %d", size, mostMapres)
	}
	var err error
	all["mapres.json"], err = json.Marshal(map[string]any{"files": list, "licenses": licenses})
	return err
}

// gameOf returns the game that has a folder of pictures: Teeworlds 0.7 has others than DDNet under the same names.
func gameOf(dir string) string {
	for _, own := range []string{"easter.png", "generic_shadows.png"} {
		if _, err := os.Stat(filepath.Join(dir, own)); err != nil {
			return "ddnet"
		}
	}
	return "teeworlds"
}

// isLater reports whether a file of the page is loaded only if the user wants that.
func isLater(at string) bool {
	return strings.HasPrefix(at, samplesFolder) && !strings.HasSuffix(at, ".jpg") || strings.HasPrefix(at, mapresFolder)
}
