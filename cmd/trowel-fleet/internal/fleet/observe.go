package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/work"
)

// observer reports the parts that a worker does: as lines of JSON, and as metrics for Prometheus. The zero value reports
// nothing.
type observer struct {
	JSON   bool   `option:"json" help:"print a line of JSON for each part"`
	Listen string `option:"listen" help:"serve /metrics and /healthz at an {address} such as :9100"`

	mu      sync.Mutex
	lines   *json.Encoder
	metrics *metrics
}

// observed is a part that was done, as a line of JSON.
type observed struct {
	Work    string    `json:"work,omitempty"`
	Part    string    `json:"part"`
	File    string    `json:"file,omitempty"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"`
	CPU     float64   `json:"cpu"`              // seconds
	Memory  int64     `json:"memory,omitempty"` // bytes at most; 0: unknown
	Error   string    `json:"error,omitempty"`
	Existed bool      `json:"existed,omitempty"` // the result existed, and the part was not done
}

// metrics are what Prometheus reads.
type metrics struct {
	running              prometheus.Gauge
	parts                *prometheus.CounterVec
	seconds, cpu, memory prometheus.Histogram
}

// open begins to report: lines to out, and metrics at the address. healthy returns an error while the worker does nothing.
// The returned function ends it.
func (o *observer) open(out io.Writer, healthy func() error) (end func(), err error) {
	if o.JSON {
		o.lines = json.NewEncoder(out)
	}
	if o.Listen == "" {
		return func() {}, nil
	}
	o.metrics = &metrics{
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "trowel_parts_running", Help: "Parts that are running."}),
		parts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "trowel_parts_total",
			Help: "Parts that have ended, by result: done, existed or failed."}, []string{"result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "trowel_part_seconds", Help: "Duration of a part.",
			Buckets: prometheus.ExponentialBuckets(0.1, 4, 8)}),
		cpu: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "trowel_part_cpu_seconds", Help: "Processor time of a part.",
			Buckets: prometheus.ExponentialBuckets(0.1, 4, 8)}),
		memory: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "trowel_part_memory_bytes", Help: "Memory of a part at most.",
			Buckets: prometheus.ExponentialBuckets(16<<20, 2, 10)}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "trowel_build_info", Help: "The version of the program.",
		ConstLabels: prometheus.Labels{"version": service.Program()}})
	build.Set(1)
	m := prometheus.NewRegistry()
	m.MustRegister(o.metrics.running, o.metrics.parts, o.metrics.seconds, o.metrics.cpu, o.metrics.memory, build)
	for _, result := range []string{"done", "existed", "failed"} {
		o.metrics.parts.WithLabelValues(result)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	o.Listen = l.Addr().String()
	return func() { _ = s.Close() }, nil
}

// begin reports that a part begins. The returned function reports that it has ended.
func (o *observer) begin(id string, p work.Part) func(used usage, existed bool, err error) {
	begin := time.Now().UTC()
	if o.metrics != nil {
		o.metrics.running.Inc()
	}
	return func(used usage, existed bool, err error) {
		one := observed{Work: id, Part: p.Name, File: p.File, Begin: begin, End: time.Now().UTC(), CPU: used.cpu.Seconds(),
			Memory: used.memory, Existed: existed}
		result := "done"
		if existed {
			result = "existed"
		}
		if err != nil {
			one.Error, result = err.Error(), "failed"
		}
		if m := o.metrics; m != nil {
			m.running.Dec()
			m.parts.WithLabelValues(result).Inc()
			if !existed {
				m.seconds.Observe(one.End.Sub(begin).Seconds())
				m.cpu.Observe(one.CPU)
				m.memory.Observe(float64(one.Memory))
			}
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.lines != nil {
			_ = o.lines.Encode(one)
		}
	}
}

// errUnreachable is the answer of /healthz while the queue is not reachable.
var errUnreachable = errors.New("the lease in the queue was not renewed for some time")

// healthy returns an error unless the worker has renewed its lease recently.
func (w *worker) healthy() error {
	if last := w.renewed.Load(); last == 0 || time.Since(time.Unix(0, last)) > 2*lease {
		return errUnreachable
	}
	return nil
}
