package deflate_test

import (
	"errors"
	"fmt"
	"strings"

	"trowel.example/internal/bytes/deflate"
)

func ExampleCompress() {
	stream, err := deflate.Compress(nil, []byte("dig, dig, dig, dig"), deflate.DefaultLevel)
	fmt.Printf("%x %v\n", stream, err)
	// Output: 789c4bc94cd75148412600364605b5 <nil>
}

func ExampleSmallest() {
	var squares strings.Builder
	for n := range 2000 {
		fmt.Fprintln(&squares, n, n*n)
	}
	text := []byte(squares.String())
	nine, _ := deflate.Compress(nil, text, 9)
	small, err := deflate.Smallest(nil, text)
	fmt.Println(len(text), len(small) < len(nine), err)
	// Output: 23427 true <nil>
}

// A reader can keep the level instead of the stream.
func ExampleLevelOf() {
	stream := []byte("\x78\xda\x4b\xc9\x4c\xd7\x51\x48\x41\x26\x00\x36\x46\x05\xb5")
	data, _, err := deflate.Decompress(stream, 18)
	if err != nil {
		fmt.Println(err)
		return
	}
	level, ok := deflate.LevelOf(stream, data)
	fmt.Printf("%s\n%d %t\n", data, level, ok)
	// Output:
	// dig, dig, dig, dig
	// 9 true
}

func ExampleDecompressUpTo() {
	stream, _ := deflate.Compress(nil, make([]byte, 1_000_000), 9)
	data, _, err := deflate.DecompressUpTo(stream, 1000)
	fmt.Println(len(data), err)
	fmt.Println(errors.Is(err, deflate.ErrTooLong))
	// Output:
	// 1000 zlib stream has too much data: more than 1000 bytes
	// true
}
