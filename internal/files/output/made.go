package output

import (
	"io/fs"
	"path/filepath"
)

// Made describes a file of an output.
type Made struct {
	Path string // its path after Commit
	Size int64
}

// Made lists the files written so far.
func (o *Output) Made() ([]Made, error) {
	var list []Made
	folder := func(dir, target string) error {
		return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(dir, path)
			list = append(list, Made{filepath.Join(target, name), info.Size()})
			return err
		})
	}
	if o.stays {
		return list, folder(o.path, o.path)
	}
	for _, p := range o.parts {
		if p.file == nil {
			if err := folder(p.temp, p.target); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.buf.Flush(); err != nil {
			return nil, err
		}
		info, err := p.file.Stat()
		if err != nil {
			return nil, err
		}
		name := p.target
		if o.to != nil {
			name = o.path
		}
		list = append(list, Made{name, info.Size()})
	}
	return list, nil
}
