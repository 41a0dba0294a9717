package mapblock

// timerSize is the number of bytes of a timer. Since version 25 the file contains this number before the list.
const timerSize = 10

// Timers is the list of node timers. The file contains it after the metadata in version 24, and at the end since 25.
type Timers struct {
	Version uint8 // in version 24 only: 0 for no list, 1 for a list
	List    []Timer
}

// Timer is a node timer.
type Timer struct {
	Pos     uint16 // index of the node, see [Index]
	Timeout int32  // milliseconds; games drop a timer with 0 or less
	Elapsed int32  // milliseconds
}

func (c *codec) timers(b *Block) {
	c.enterName("timers")
	defer c.leavePath()
	if b.Version == 24 {
		version := b.Timers.Version
		if len(b.Timers.List) > 0 {
			version = 1
		}
		c.u8("version", &version)
		c.expect("version", version, "version 0 or 1", version <= 1)
		if !c.writing() && !c.failed() {
			b.Timers.Version = version
		}
		if version == 0 {
			return
		}
	} else {
		size := uint8(timerSize)
		c.u8("size", &size)
		c.expect("size", size, "10, the size of a timer", size == timerSize)
	}
	n := c.count16("count", len(b.Timers.List))
	elements(c, "entries", n, timerSize, &b.Timers.List, func(t *Timer) {
		c.u16("position", &t.Pos)
		c.position(t.Pos)
		c.i32("timeout", &t.Timeout)
		c.means("milliseconds")
		c.i32("elapsed", &t.Elapsed)
		c.means("milliseconds")
	})
}

// position describes the position that was read last.
func (c *codec) position(pos uint16) {
	if pos < NodeCount {
		x, y, z := Coordinates(int(pos))
		c.means("%d, %d, %d", x, y, z)
	} else {
		c.means("outside of the block")
	}
}
