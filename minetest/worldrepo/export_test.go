package worldrepo

// Place returns where in its pack a content is, and how long it is there.
func Place(r *Repository, ref Ref) (at, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.pack(ref.Pack)
	if err != nil {
		panic(err)
	}
	return p.table[ref.N].offset, p.table[ref.N].size
}
