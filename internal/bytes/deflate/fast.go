package deflate

// fast uses the first match found at each position.
func (e *encoder) fast() {
	n := len(e.src)
	for p := 0; ; {
		if e.end-p < minLookahead {
			e.fill(p)
			if p == n {
				break
			}
		}
		length, pos := 0, 0
		if n-p >= minMatch {
			if head := e.insert(p); e.near(p, head) {
				length, pos = e.longest(p, head, minMatch-1)
			}
		}
		full := false
		if length >= minMatch {
			full = e.addMatch(p-pos, length)
			// The inside of a long match is not entered into the chains, to save time.
			if length <= e.maxLazy {
				e.insertAll(p+1, p+length)
			}
			p += length
		} else {
			full = e.addLiteral(e.src[p])
			p++
		}
		if full && !e.endBlock(p, false) {
			return
		}
	}
	e.endBlock(n, true)
}
