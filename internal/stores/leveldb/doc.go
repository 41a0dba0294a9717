// Package leveldb reads LevelDB databases without modifying them, creates new ones, and changes databases that no
// other program has open.
//
// A DB is a view of the files at the time of Open: Open replays every log, takes no lock, and creates and changes
// nothing. Damage is collected in [DB.Problems], and the rest stays readable. A record that was being written when a
// program ended is reported as [ErrTorn]; the C++ library also skips such a record.
//
//	db, err := leveldb.Open(dir, nil)
//	for key, value := range db.All() { ... }
//	err = db.Err()
//
// A Writer makes a database in a new folder, or continues an existing one. Whenever it ends, the C++ library opens the
// database without a warning.
package leveldb
