// Package database has no clients of database servers: a page in a browser cannot connect to them.
package database

import "trowel.example/internal/stores/server"

// Postgres returns [server.ErrProgram].
func Postgres(string, string, bool) (any, error) { return nil, server.ErrProgram }
