package service

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"trowel.example/internal/format"
)

// Options are the choices of the user for the files of a run.
type Options struct {
	Given     []Given // options of formats that the user gave, by name
	KeepGoing bool    // damaged files are read as far as possible
}

// Given is an option of a format that the user gave.
type Given struct {
	Name, Value string
	Of          string // title of the first format that has the option
}

// Value returns the value of an option, and whether the user gave it.
func (o Options) Value(name string) (value string, given bool) {
	for _, g := range o.Given {
		if g.Name == name {
			return g.Value, true
		}
	}
	return "", false
}

// Values returns the values of the options by name.
func (o Options) Values() map[string]string {
	values := make(map[string]string)
	for _, g := range o.Given {
		values[g.Name] = g.Value
	}
	return values
}

// Owned returns an error if the user gave an option that format f does not have, so that no option is
// silently ignored.
func (s *Service) Owned(f *format.Format, more ...format.Option) error {
	own := slices.Concat(f.Options, more)
	var err error
	for _, given := range s.Options.Given {
		if !slices.ContainsFunc(own, func(o format.Option) bool { return o.Name == given.Name }) {
			owner := fmt.Sprintf("a %s, and this is a %s", given.Of, f.Title)
			if given.Of == f.Title {
				owner = "another conversion of a " + f.Title
			}
			err = fmt.Errorf("--%s is for %s", given.Name, owner)
		}
	}
	return err
}

// Fits returns an error if the given options do not apply to a file. For files found in a folder, it is enough
// that the options apply to one of them.
func (s *Service) Fits(f *format.Format, t Target) error {
	if !t.Found {
		return s.Owned(f)
	}
	s.Fitted(f)
	return nil
}

// Fitted records that a file of format f was found.
func (s *Service) Fitted(f *format.Format) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range f.Options {
		s.fitting[o.Name] = true
	}
}

// Unfit returns an error about a given option that applied to none of the files in a folder.
func (s *Service) Unfit() error {
	var err error
	for _, given := range s.Options.Given {
		if len(s.fitting) > 0 && !s.fitting[given.Name] {
			err = fmt.Errorf("--%s is for a %s, and there is none", given.Name, given.Of)
		}
	}
	return err
}

// Inputs returns the paths that are read in addition to the file of the run: the values of input options, and
// standard input.
func (s *Service) Inputs() []string {
	var list []string
	for _, given := range s.Options.Given {
		for _, f := range s.Formats {
			for _, option := range f.Options {
				if option.Input && option.Name == given.Name {
					list = append(list, strings.Split(given.Value, "\n")...)
				}
			}
		}
	}
	if s.In == os.Stdin && runtime.GOOS != "windows" {
		list = append(list, "/dev/stdin")
	}
	return list
}

// About makes the messages of a job name the file. It is for verbs with many files.
func (s *Service) About(job *format.Job, file string) *format.Job {
	warned, missed := job.OnWarn, job.OnMiss
	job.OnWarn = func(path, message string) { warned(InFile(file, s.Names.Plain(path)), message) }
	job.OnMiss = func(path, message string) { missed(InFile(file, s.Names.Plain(path)), message) }
	return job
}

// InFile adds the file name to a path inside the file. A path that already begins with the file name, or that
// is next to the file, is unchanged.
func InFile(file, path string) string {
	switch {
	case path == "":
		return file
	case path == file, strings.HasPrefix(path, file+"/"), strings.HasPrefix(path, file+"."), strings.HasPrefix(file, path+"."):
		return path
	}
	return file + ": " + path
}

// Job returns the job that a verb passes to format f.
func (s *Service) Job(f *format.Format, more ...format.Option) *format.Job {
	job := f.Job(more...)
	for name := range job.Values {
		if value, given := s.Options.Value(name); given {
			job.Values[name] = value
		}
	}
	job.KeepGoing = s.Options.KeepGoing
	job.OnWarn, job.OnMiss, job.OnProgress = s.Report.Warn, s.Report.Miss, s.Report.Progress
	job.OnLose = func(string) { s.Lost.Add(1) }
	job.OnDone = func(message string) { s.Report.Say("%s", message) }
	job.OnOpen = s.Source
	return job
}
