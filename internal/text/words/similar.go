package words

// Distance returns the number of bytes to insert, delete or change to turn a into b, or a number that is not less than most if that
// many do not suffice.
func Distance(a, b string, most int) int {
	if d := len(a) - len(b); d >= most || -d >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			n := last
			if a[i] != b[j] {
				n = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], n
			least = min(least, n)
		}
		if least >= most {
			return most
		}
	}
	return row[len(b)]
}
