package main

import (
	"container/heap"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// Fleet describes a simulated work: shards of unequal size that workers take from a queue, in order.
type Fleet struct {
	Workers int
	Shards  int
	Seed    uint64

	Work   float64 // median seconds of a shard on a worker of normal speed
	Spread float64 // spread of the sizes of shards: the standard deviation of their logarithm; 0: none
	Slow   float64 // fraction of slow workers, 0 to 1
	Factor float64 // how many times longer a slow worker takes

	// Source is the work in seconds that all workers together can do per second, limited by the database or
	// disk they read from; 0 is unlimited.
	Source float64

	Fetch  float64 // seconds between the end of a part and the start of the next one
	MTBF   float64 // mean seconds of work until a worker dies; 0 is never
	Back   float64 // seconds until a dead worker is restarted
	Limit  float64 // maximum seconds for a part
	Rescue float64 // seconds until the part of a dead worker is given to another one
	Tries  int     // attempts until a part is given up
	Merge  float64 // seconds that merging takes for each shard
}

// Outcome is the result of a simulated run. Times are in seconds.
type Outcome struct {
	Total    float64 // from the first part to the end of the merge
	Ideal    float64 // the same work on workers of normal speed, without losses
	Last     float64 // from the time when no part is waiting to the end of the last part
	Deaths   int     // deaths of working workers
	Overtime int     // parts that were ended at their limit
	Lost     float64 // wasted work
	GivenUp  int     // parts that failed too often
}

// worker is a worker, busy or idle.
type worker struct {
	speed float64 // work per second
	part  int     // -1: none
	since float64 // start of the part
	left  float64 // remaining work of the part
	dies  float64 // time of death
	ready float64 // when it can take the next part
}

// event is something that happens at a time.
type event struct {
	at   float64
	part int
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any          { last := len(*e) - 1; x := (*e)[last]; *e = (*e)[:last]; return x }

// Run simulates a run, event by event.
func (f Fleet) Run() (o Outcome, err error) {
	if f.Workers < 1 || f.Shards < 1 || !(f.Work > 0) || !(f.Limit > 0) || f.Tries < 1 || f.Slow > 0 && !(f.Factor >= 1) {
		return o, errors.New("workers, shards, work, limit and tries must be above 0, and stragglers slower than others")
	}
	random := rand.New(rand.NewPCG(f.Seed, 1))
	size := make([]float64, f.Shards)
	sum := 0.0
	for i := range size {
		size[i] = f.Work * math.Exp(f.Spread*random.NormFloat64())
		sum += size[i]
	}
	o.Ideal = sum / float64(f.Workers)
	if f.Source > 0 {
		o.Ideal = max(o.Ideal, sum/f.Source)
	}
	dies := func(now float64) float64 {
		if f.MTBF <= 0 {
			return math.Inf(1)
		}
		return now + random.ExpFloat64()*f.MTBF
	}
	workers := make([]worker, f.Workers)
	for i := range workers {
		workers[i] = worker{speed: 1, part: -1}
		if float64(i) < f.Slow*float64(f.Workers) {
			workers[i].speed = 1 / f.Factor
		}
	}
	tries := make([]int, f.Shards)
	var again []int           // parts to repeat, before all others
	var orphans events        // parts of dead workers, and when they are rescued
	next, open := 0, f.Shards // the next new part; number of parts not done
	now, emptied := 0.0, 0.0
	waiting := func() bool { return len(again) > 0 || next < f.Shards }
	for open > 0 {
		// Idle workers take the next part.
		busy, demand := 0, 0.0
		for i := range workers {
			w := &workers[i]
			if w.part < 0 && w.ready <= now && waiting() {
				if len(again) > 0 {
					w.part, again = again[0], again[1:]
				} else {
					w.part, next = next, next+1
				}
				tries[w.part]++
				w.since, w.left, w.dies = now, size[w.part], dies(now)
				if !waiting() {
					emptied = now
				}
			}
			if w.part >= 0 {
				busy++
				demand += w.speed
			}
		}
		share := 1.0 // fraction of a worker's speed that the source allows
		if f.Source > 0 && demand > f.Source {
			share = f.Source / demand
		}
		// Find the time of the next event.
		then := math.Inf(1)
		for i := range workers {
			switch w := &workers[i]; {
			case w.part >= 0:
				then = min(then, now+w.left/(w.speed*share), w.dies, w.since+f.Limit)
			case waiting():
				then = min(then, w.ready)
			}
		}
		if len(orphans) > 0 {
			then = min(then, orphans[0].at)
		}
		then = max(then, now)
		for i := range workers {
			if w := &workers[i]; w.part >= 0 {
				w.left -= (then - now) * w.speed * share
			}
		}
		now = then
		for i := range workers {
			w := &workers[i]
			if w.part < 0 {
				continue
			}
			part, did := w.part, size[w.part]-w.left
			switch tiny := 1e-9 * size[part]; {
			case w.left <= tiny:
				open--
				w.part, w.ready = -1, now+f.Fetch
			case w.dies <= now:
				o.Deaths++
				o.Lost += did
				w.part, w.ready = -1, now+f.Back
				heap.Push(&orphans, event{now + f.Rescue, part})
			case w.since+f.Limit <= now:
				o.Overtime++
				o.Lost += did
				w.part, w.ready = -1, now+f.Fetch
				heap.Push(&orphans, event{now, part})
			}
		}
		for len(orphans) > 0 && orphans[0].at <= now {
			part := heap.Pop(&orphans).(event).part
			if tries[part] >= f.Tries {
				o.GivenUp++
				open--
				continue
			}
			again = append(again, part)
		}
	}
	o.Last = now - emptied
	o.Total = now + f.Merge*float64(f.Shards)
	return o, nil
}

// Runs simulates n runs with different seeds and returns them ordered by total time.
func (f Fleet) Runs(n int) ([]Outcome, error) {
	all := make([]Outcome, n)
	for i := range all {
		f.Seed++
		var err error
		if all[i], err = f.Run(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b Outcome) int {
		switch {
		case a.Total < b.Total:
			return -1
		case a.Total > b.Total:
			return 1
		}
		return 0
	})
	return all, nil
}
