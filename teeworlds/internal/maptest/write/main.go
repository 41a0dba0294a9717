// Write makes maps in a folder, with questions about them in queries.json.
package main

import (
	"log"
	"os"

	"trowel.example/internal/censustest"
	"trowel.example/teeworlds/internal/maptest"
)

func main() {
	seeds, queries, err := maptest.Make(24, 1)
	if err == nil {
		err = censustest.Write(os.Args[1], seeds, queries)
	}
	if err != nil {
		log.Fatal(err)
	}
}
