package mapedit

import (
	"fmt"
	"strings"
	"sync"
)

// sheet lists the tiles of a picture that has the same name in Teeworlds 0.7 and in earlier versions (and DDNet), but
// with tiles at other positions. Tiles that are not listed are transparent. The lists were made by comparing the
// pictures: see the test.
type sheet struct {
	name    string
	both    string // tiles of 0.6, and their position in 0.7 if it differs: 17-19>233 begins at 233
	redrawn string // the tiles among them that look slightly different
	only06  string
	only07  string
}

var sheets = []sheet{
	{"grass_main",
		"1-5 8-13 16-22 24-29 32-38 40-45 48-54 64-68 72-74 80-81 88-90 104-106",
		"",
		"76-78 92-93 108-110 124-125 140-142 156-157",
		"14-15 30-31 46-47 61-63 69-70 83 85-86 96-102 112-118 128-134 144-150 160-166"},
	{"grass_doodads",
		"1-3>217 4-7>3 10-11>9 14 17-19>233 20-23>19 24-25>7 26-27>25 30>13 33-35>249 36-37>23 39-40>40 41-42>27 43>31 " +
			"44-45>38 52-53>55 56-57>64 60-61>33 65-70>68 72-74>80 75-77>48 80-87>83 91-94>107 96-100 102-104>103 106-110>122 " +
			"112-116 117-120>118 122-127>138 128-131 133-136>134 138-143>154 145-146 150-151>151 157-158>173 161-162 " +
			"166-167>167 171-173>187 176-180 192-196 204-212 220-228 236-244 252-253 255",
		"17 19 34 204-207 220-223 236-239 252-253 255",
		"38 186-187 201-203 216-219 232-235 248-251",
		"1-2 11-12 15-18 29-30 36-37 45-47 78-79 93-95 182-185 198-201 213-215 254"},
	{"desert_main",
		"1-7 16-23 32-39 48-54 64-70 81-89 96-105 112-121 128-137 144-145 160-167 176-183 192-199 208-215",
		"",
		"92-94 108-109 124-126 140-141 156-158 172-173",
		"8-15 24-31 40-47 56-63 72-78 91"},
	{"jungle_main",
		"1-13 16-29 32-45 48-54 64-75 80-91 96-101 104-107 112-121 128-137",
		"",
		"76-78 92-93 108-110 124-125 140-142 156-157",
		""},
	{"winter_main",
		"1-46 48-59 62 64-74 78 80-93 96-159 168-170>220 174>95 177-180>160 183-187>235 193-197>192 198-203>250 209-212>176 " +
			"215-216>232 224-228>226 229-230>224 231-232>248 248-255>240",
		"168-170 183-187 198-203",
		"",
		"165-175 181-191 197-207 213-218 234"},
	{"generic_unhookable",
		"1-6 8-13 16-29 32-37 39-44 48-53 55-60 64-69 71-76 80-85 87-92 96-98 103-105 112-114 119-121 129-134 144-150 " +
			"160-165 176-181 192-197 208-213 224-226 240-242",
		"1-6 8-13 16-29 32-37 39-44 48-53 55-60 64-69 71-76 80-85 87-92 96 98 103 105 112-114 119-121 129-134 144-150 " +
			"160-165 176-181 192-197 208-213 224 226 240-242",
		"",
		"38 45 54 61 70 77 86 93 99-101 106-108 115-117 122-124 166 182 198 214 227-229 243-245"},
}

// remap maps the tiles of a picture to those of the other game's picture.
type remap struct {
	to      [256]uint8 // 0 for invisible tiles
	missing [256]bool  // the other picture lacks the tile
	redrawn [256]bool
	hidden  [256]bool // the tile is invisible here, but its position in the other picture is not
}

// remaps returns the maps of tiles from 0.6 to 0.7, and back.
var remaps = sync.OnceValues(func() (to07, to06 map[string]*remap) {
	to07, to06 = make(map[string]*remap), make(map[string]*remap)
	for _, s := range sheets {
		forth, back := new(remap), new(remap)
		eachTile(s.both, func(from, to int) {
			forth.to[from], back.to[to] = uint8(to), uint8(from)
		})
		eachTile(s.redrawn, func(i, _ int) {
			forth.redrawn[i], back.redrawn[forth.to[i]] = true, true
		})
		eachTile(s.only06, func(i, _ int) { forth.missing[i] = true })
		eachTile(s.only07, func(i, _ int) { back.missing[i] = true })
		for i := 1; i < 256; i++ {
			forth.hidden[i] = forth.to[i] == 0 && !forth.missing[i] && (back.to[i] != 0 || back.missing[i])
			back.hidden[i] = back.to[i] == 0 && !back.missing[i] && (forth.to[i] != 0 || forth.missing[i])
			for _, r := range []*remap{forth, back} {
				if r.to[i] == 0 && !r.hidden[i] {
					r.to[i] = uint8(i) // invisible in both, or nothing has its position
				}
			}
		}
		to07[s.name], to06[s.name] = forth, back
	}
	return to07, to06
})

// eachTile calls do for each tile of a list.
func eachTile(list string, do func(from, to int)) {
	for _, run := range strings.Fields(list) {
		from, to, moved := strings.Cut(run, ">")
		first, last, n := 0, 0, 0
		if k, _ := fmt.Sscanf(from, "%d-%d", &first, &last); k < 2 {
			last = first
		}
		if n = first; moved {
			fmt.Sscan(to, &n)
		}
		for i := first; i <= last; i++ {
			do(i, n+i-first)
		}
	}
}
