package tiles

import "embed"

// Leaflet contains leaflet.js, leaflet.css and their LICENSE.
//
//go:embed leaflet.js leaflet.css LICENSE
var Leaflet embed.FS
