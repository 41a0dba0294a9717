// Package leaflet holds Leaflet 1.9.4, which shows maps in a browser, as it is in the
// package of that name on npm. docs/dependencies.md has the reasons, leaflet_test.go the
// hashes.
package leaflet

import "embed"

// Files has leaflet.js, leaflet.css and the LICENSE of both.
//
//go:embed leaflet.js leaflet.css LICENSE
var Files embed.FS
