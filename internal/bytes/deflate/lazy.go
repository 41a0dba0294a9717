package deflate

// tooFar is the minimum distance at which three literals are cheaper than a match of three bytes.
const tooFar = 4096

// lazy uses a match only if the next byte does not start a longer one. Otherwise the first byte becomes a literal, and
// the longer match is checked in the same way.
func (e *encoder) lazy() {
	const none = minMatch - 1
	n := len(e.src)
	length, pos := none, 0 // the match at p-1, if that byte is not written yet
	held := false          // whether the byte at p-1 is not yet written
	for p := 0; ; {
		if e.end-p < minLookahead {
			e.fill(p)
			if p == n {
				break
			}
		}
		head := 0
		if n-p >= minMatch {
			head = e.insert(p)
		}
		prevLength, prevPos := length, pos
		length = none
		if prevLength < e.maxLazy && e.near(p, head) {
			length, pos = e.longest(p, head, prevLength)
			if length == minMatch && p-pos > tooFar {
				length = none
			}
		}
		switch {
		case prevLength >= minMatch && length <= prevLength:
			distance := p - 1 - prevPos
			full := e.addMatch(distance, prevLength)
			end := p - 1 + prevLength
			if distance <= maxRepeat {
				e.insertRepeat(p+1, end, distance)
			} else {
				e.insertAll(p+1, end)
			}
			p = end
			length, held = none, false
			if full && !e.endBlock(p, false) {
				return
			}
		case held:
			if e.addLiteral(e.src[p-1]) && !e.endBlock(p, false) {
				return
			}
			p++
		default:
			held = true
			p++
		}
	}
	if held {
		e.addLiteral(e.src[n-1])
	}
	e.endBlock(n, true)
}
