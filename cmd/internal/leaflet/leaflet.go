// Package leaflet embeds Leaflet 1.9.4, which shows maps in a browser, unchanged from its npm package.
// docs/dependencies.md has the reasons, leaflet_test.go the hashes.
package leaflet

import "embed"

// Files contains leaflet.js, leaflet.css and their LICENSE.
//
//go:embed leaflet.js leaflet.css LICENSE
var Files embed.FS
