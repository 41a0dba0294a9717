package deflate

import (
	"encoding/binary"
	"math"
	"slices"
)

// The input is compressed in segments, which bound the memory: about 60 MB. Each segment is divided into blocks anew.
const (
	segmentBytes   = 1 << 22
	segmentMatches = 1 << 22
	segmentTokens  = 1<<17 - 2 // greatest sum of frequencies of a tree, less the end of the block
	segmentRounds  = 8
)

// Smallest appends to dst a zlib stream of src that is as small as this package can make it, for files that are compressed once and
// downloaded often: 3 to 8 % smaller than the one of level 9, in 20 to 60 times the time. No level of C zlib makes it, so [LevelOf] does
// not recognize it. Inputs of 2 GiB or more get level 9. Like [Compress], it returns an error only for those of 4 GiB or more.
//
// It finds the nearest match of each length at each position, then chooses those with which the bits of all codes are fewest. As the codes
// depend on the choice, it is repeated with the codes of the one before, and the data is divided into blocks of similar codes.
func Smallest(dst, src []byte) ([]byte, error) {
	first := len(dst)
	dst, err := Compress(dst, src, 9)
	if err != nil || len(src) == 0 || len(src) > math.MaxInt32-1 {
		return dst, err
	}
	w := bitWriter{out: append(make([]byte, 0, len(dst)-first), header(9)...)}
	s := segment{src: src, finder: newFinder(src)}
	for {
		s.find()
		last := s.end == len(src)
		s.write(&w, last)
		if last {
			break
		}
	}
	if len(w.out)+sumLen < len(dst)-first {
		dst = binary.BigEndian.AppendUint32(append(dst[:first], w.out...), Adler32(src))
	}
	return dst, nil
}

// A finder finds the nearest match of each length. The positions with the same hash of four bytes form a binary tree, ordered by the bytes
// from them on, with the newest position as the root.
type finder struct {
	src      []byte
	three    [1 << 15]int32       // the newest position of each hash of three bytes, plus 1
	roots    [1 << 16]int32       // of each hash of four bytes, plus 1
	children [windowSize][2]int32 // by position modulo windowSize: those with lesser and with greater bytes, plus 1
}

func newFinder(src []byte) *finder { return &finder{src: src} }

// depth is the number of positions that are compared at most.
const depth = 400

// find adds position p and appends to found the nearest match of each length that is longer than the nearer ones.
func (f *finder) find(p int, found []token) []token {
	most := min(maxMatch, len(f.src)-p)
	if most < 4 { // shorter ones at the very end are not worth the case
		return found
	}
	here := f.src[p : p+most]
	four := binary.LittleEndian.Uint32(here)
	best := minMatch
	hash := four << 8 * 0x9e3779b1 >> 17
	if q := int(f.three[hash]) - 1; q >= 0 && p-q < windowSize && binary.LittleEndian.Uint32(f.src[q:])<<8 == four<<8 {
		found = append(found, token(p-q)<<8)
	}
	f.three[hash] = int32(p) + 1

	root := &f.roots[four*0x9e3779b1>>16]
	q := int(*root) - 1
	*root = int32(p) + 1
	// The tree is divided at the new root: the positions with lesser bytes go to one side of it, the others to the other.
	lesser, greater := &f.children[p&windowMask][0], &f.children[p&windowMask][1]
	lesserLen, greaterLen := 0, 0 // of the common bytes with the last position on each side
	for left := depth; q >= 0 && p-q < windowSize && left > 0; left-- {
		n := min(lesserLen, greaterLen)
		n += common(here[n:], f.src[q+n:])
		children := &f.children[q&windowMask]
		if n > best {
			best = n
			found = append(found, token(p-q)<<8|token(n-minMatch))
		}
		if n == most {
			*lesser, *greater = children[0], children[1]
			return found
		}
		if f.src[q+n] < here[n] {
			*lesser, lesser, lesserLen = int32(q)+1, &children[1], n
			q = int(children[1]) - 1
		} else {
			*greater, greater, greaterLen = int32(q)+1, &children[0], n
			q = int(children[0]) - 1
		}
	}
	*lesser, *greater = 0, 0
	return found
}

// A segment is a part of the input with its matches.
type segment struct {
	src        []byte
	start, end int
	finder     *finder
	matches    []token
	first      []int32 // of the matches of each position, and one more
	cost       []uint32
	choice     []token
	block      block
}

// find moves to the next segment. Where a longest match is followed by another one at its distance, as in a long run of equal tiles, this
// is the only match: shorter ones would only divide the run in other ways.
func (s *segment) find() {
	s.start = s.end
	s.matches, s.first = s.matches[:0], s.first[:0]
	for ; s.end < len(s.src) && s.end-s.start < segmentBytes && len(s.matches) < segmentMatches; s.end++ {
		first := len(s.matches)
		s.first = append(s.first, int32(first))
		s.matches = s.finder.find(s.end, s.matches)
		if n := len(s.matches); n > first && s.repeats(s.end, s.matches[n-1]) {
			s.matches = append(s.matches[:first], s.matches[n-1])
		}
	}
	s.first = append(s.first, int32(len(s.matches)))
	n := s.end - s.start
	s.cost, s.choice = slices.Grow(s.cost[:0], n+1)[:n+1], slices.Grow(s.choice[:0], n)[:n]
}

// repeats reports whether a match at p is a longest one, and another one follows it at the same distance.
func (s *segment) repeats(p int, m token) bool {
	next := p + maxMatch
	if m.length() != maxMatch-minMatch || len(s.src)-next < maxMatch {
		return false
	}
	return common(s.src[next:next+maxMatch], s.src[next-int(m.distance())-1:]) == maxMatch
}

// write writes the segment as blocks.
func (s *segment) write(w *bitWriter, last bool) {
	var best []part
	size := math.MaxInt
	parts := s.parse([]part{{end: s.end - s.start, costs: guess}}, true)
	for round := range segmentRounds {
		total := 0
		for i := range parts {
			total += s.measure(&parts[i])
		}
		if total < size {
			size, best = total, slices.Clone(parts)
		}
		parts = s.parse(parts, round%3 != 1)
	}
	p := s.start
	for i, one := range best {
		s.block.tokens, s.block.n = one.tokens, len(one.tokens)
		end := p + one.bytes
		s.block.write(w, s.src[p:end], true, last && i == len(best)-1)
		p = end
	}
}

// A part of a segment is one block of it.
type part struct {
	end    int // where its tokens end to begin, in the segment
	bytes  int // of its tokens
	tokens []token
	costs  *costs
}

// costs are the bits of the symbols of a block in units of 1/32, with the extra bits.
type costs struct {
	literal  [256]uint32
	length   [256]uint32
	distance [numDistance]uint32
}

const unit = 32

// guess is what the symbols may cost before anything is known.
var guess = func() *costs {
	c := new(costs)
	for i := range c.literal {
		c.literal[i], c.length[i] = 7*unit, unit*(6+uint32(lengthExtra[lengthSymbols[i]]))
	}
	for i := range c.distance {
		c.distance[i] = unit * (4 + uint32(distanceExtra[i]))
	}
	return c
}()

// parse chooses the cheapest tokens by the costs of each part, and divides them into parts: those that there are, or new ones.
func (s *segment) parse(parts []part, divide bool) []part {
	n := s.end - s.start
	s.cost[n] = 0
	k := len(parts) - 1
	for i := n - 1; i >= 0; i-- {
		for k > 0 && i < parts[k-1].end {
			k--
		}
		c := parts[k].costs
		raw := s.src[s.start+i]
		best, choice := s.cost[i+1]+c.literal[raw], token(raw)
		length := 0 // less minMatch
		matches := s.matches[s.first[i]:s.first[i+1]]
		for _, m := range matches {
			distance := c.distance[distanceSymbol(m.distance())]
			to := min(int(m.length()), n-i-minMatch)
			if len(matches) == 1 && m.length() == maxMatch-minMatch {
				length = max(to, 0) // see find
			}
			if length > to {
				break
			}
			rest := s.cost[i+minMatch+length : i+minMatch+to+1]
			for k, c := range c.length[length : to+1][:len(rest)] {
				if c += rest[k] + distance; c <= best {
					best, choice = c, m&^0xff|token(length+k)
				}
			}
			length = to + 1
		}
		s.cost[i], s.choice[i] = best, choice
	}
	var tokens []token
	var ends []int // of the tokens of each part
	k = 0
	for i := 0; i < n; i += s.choice[i].bytes() {
		for ; i >= parts[k].end; k++ {
			ends = append(ends, len(tokens))
		}
		tokens = append(tokens, s.choice[i])
	}
	if ends = append(ends, len(tokens)); divide {
		ends = s.divide(tokens)
	}
	return s.cut(tokens, ends)
}

// bytes returns the number of bytes that a token makes.
func (t token) bytes() int {
	if t.literal() {
		return 1
	}
	return minMatch + int(t.length())
}

// cut makes parts of the tokens.
func (s *segment) cut(tokens []token, ends []int) []part {
	var parts []part
	start, at := 0, 0
	for _, end := range ends {
		if end == start && len(tokens) > 0 {
			continue
		}
		one := part{tokens: tokens[start:end]}
		for _, t := range one.tokens {
			one.bytes += t.bytes()
		}
		at += one.bytes
		one.end, start = at, end
		parts = append(parts, one)
	}
	return parts
}

// measure returns the size of a part in bytes, and sets the costs of the next round by its symbols.
func (s *segment) measure(one *part) int {
	b := &s.block
	b.tokens, b.n = one.tokens, len(one.tokens)
	dynamic, fixed := b.measure()
	c := new(costs)
	lit, dist := symbolCosts(b.litLen.freq[:numLitLen]), symbolCosts(b.distance.freq[:numDistance])
	copy(c.literal[:], lit)
	for i := range c.length {
		sym := lengthSymbols[i]
		c.length[i] = lit[endOfBlock+1+int(sym)] + unit*uint32(lengthExtra[sym])
	}
	for i := range c.distance {
		c.distance[i] = dist[i] + unit*uint32(distanceExtra[i])
	}
	one.costs = c
	return min(dynamic, fixed, one.bytes+5*(1+one.bytes/math.MaxUint16))
}

// symbolCosts returns the bits that an ideal code has for symbols of the given frequencies. Those that do not occur cost as much as if they
// occurred once.
func symbolCosts(freq []uint32) []uint32 {
	sum := uint32(0)
	for _, f := range freq {
		sum += f
	}
	all := make([]uint32, len(freq))
	for i, f := range freq {
		all[i] = uint32(unit * min(max(math.Log2(float64(max(sum, 1)))-math.Log2(float64(max(f, 1))), 0.5), maxBits+2))
	}
	return all
}

// divide returns the ends of the blocks into which tokens are best divided.
func (s *segment) divide(tokens []token) []int {
	const symbols = numLitLen + numDistance
	step := max(64, len(tokens)/200)
	n := (len(tokens) + step - 1) / step
	counts := make([][symbols]uint32, n)
	for i, t := range tokens {
		c := &counts[i/step]
		if t.literal() {
			c[t.byte()]++
		} else {
			c[endOfBlock+1+int(lengthSymbols[t.length()])]++
			c[numLitLen+distanceSymbol(t.distance())]++
		}
	}
	// The cheapest way to divide all steps up to each one, and where its last block begins.
	sizes, from := make([]float64, n+1), make([]int, n+1)
	for end := 1; end <= n; end++ {
		sizes[end] = math.Inf(1)
		var sum [symbols]uint32
		for start := end - 1; start >= 0 && (end-start)*step <= segmentTokens; start-- {
			for i, c := range counts[start] {
				sum[i] += c
			}
			if size := sizes[start] + estimate(&sum); size < sizes[end] {
				sizes[end], from[end] = size, start
			}
		}
	}
	ends := []int{}
	for end := n; end > 0; end = from[end] {
		ends = append(ends, min(end*step, len(tokens)))
	}
	slices.Reverse(ends)
	return ends
}

// logs has x log2(x) of small numbers.
var logs = func() (all [1 << 12]float64) {
	for i := range all[1:] {
		all[i+1] = float64(i+1) * math.Log2(float64(i+1))
	}
	return all
}()

// estimate returns about how many bits a block takes whose symbols occur so often, without their extra bits.
func estimate(counts *[numLitLen + numDistance]uint32) float64 {
	size, used, total := 0.0, 0, [2]uint32{1, 0}
	for i, c := range counts {
		if c == 0 {
			continue
		}
		used++
		total[i/numLitLen] += c
		if int(c) < len(logs) {
			size -= logs[c]
		} else {
			size -= float64(c) * math.Log2(float64(c))
		}
	}
	for _, t := range total {
		if t > 0 {
			size += float64(t) * math.Log2(float64(t))
		}
	}
	return size + 100 + 4*float64(used)
}
