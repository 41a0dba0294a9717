// Package leveldb reads LevelDB databases without touching them, makes new ones, and
// changes those that nobody has open.
//
// A DB is a view of the files as they are when Open reads them: Open replays
// every log, takes no lock, and creates and changes nothing. What is damaged is
// collected in [DB.Problems], and the rest stays readable. A record that was
// being written when a program ended is what the C++ library skips as
// well; it is reported as [ErrTorn].
//
//	db, err := leveldb.Open(dir)
//	for key, value := range db.All() { ... }
//	err = db.Err()
//
// A Writer makes a database in a new folder, or continues with one, whoever made it: what it
// leaves, at whatever moment it ends, the C++ library opens without a warning.
package leveldb
