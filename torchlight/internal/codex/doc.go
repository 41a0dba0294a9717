// Package codex collects what mods of Torchlight II contain for players: items, monsters, sets, affixes, skills, recipes, and what
// drops what with which chance. What is missing in the files is listed, too. docs/codex.md describes the data.
package codex
