// Package scripts embeds what reads and draws models in a browser: glTF files as package gltf writes them, with WebGL2. The viewer and
// the codex of mods serve it.
package scripts

import "embed"

// Files contains gl.js, glb.js and paint.js, modules without other imports than each other.
//
//go:embed gl.js glb.js paint.js
var Files embed.FS
