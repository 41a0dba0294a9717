package gltf

import "embed"

// Scripts contains gl.js, glb.js and paint.js, modules without other imports than each other.
//
//go:embed gl.js glb.js paint.js
var Scripts embed.FS
