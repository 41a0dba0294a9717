// Digest prints the digest of each file in the tree of the named files, and their findings: .ci/wasm compares the
// output in a browser's form with that of this system.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"

	"trowel.example"
	_ "trowel.example/all"
	"trowel.example/check"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := digest(context.Background(), name); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			os.Exit(1)
		}
	}
}

func digest(ctx context.Context, name string) error {
	f, err := trowel.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Println(name, f.Format())
	err = fs.WalkDir(f.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := f.FS().Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return err
		}
		fmt.Printf("%x %s\n", sum.Sum(nil), path)
		return nil
	})
	if err != nil {
		return err
	}
	return f.Check(ctx, func(f check.Finding) { fmt.Println(f.ID, f.Path, f.Message) })
}
