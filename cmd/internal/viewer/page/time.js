// The time of animated pictures: a slider, and playing.
import { set } from "./state.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";

const usual = 10000; // milliseconds, if the duration of the loop is unknown
const beat = 50; // pictures are at multiples of this, so that the second round uses cached pictures

// player returns {node, playing, toggle(), step(n), close()} for a Scene of map.js.
export function player(shown) {
  const length = Math.max(beat, Math.ceil((shown.view.loop || usual) / beat) * beat);
  const button = el("button", { type: "button", className: "quiet", onclick: () => self.toggle() });
  const slider = el("input", { type: "range", min: 0, max: length / 1000, step: beat / 1000, "aria-label": "Time in seconds", oninput: () => self.to(Math.round(slider.value * 1000)) });
  const text = el("output", {});
  const tell = () => {
    slider.value = shown.moment / 1000;
    slider.setAttribute("aria-valuetext", `${(shown.moment / 1000).toFixed(2)} seconds`);
    text.textContent = `${(shown.moment / 1000).toFixed(2)} s`;
    fill(button, icon(self.playing ? "pause" : "play"));
    button.setAttribute("aria-label", self.playing ? "Pause" : "Play");
    button.title = (self.playing ? "Pause" : "Play") + " (t)";
  };
  const watchers = new Set();
  shown.onMoment = () => {
    tell();
    for (const w of watchers) w(shown.moment);
  };
  // watchMoment calls back at each displayed moment.
  shown.watchMoment = (f) => (watchers.add(f), () => watchers.delete(f));
  const keep = () => set({ time: shown.moment || undefined });

  const self = {
    node: el("div", { className: "player", role: "group", "aria-label": "Time" }, button, slider, text),
    playing: false,
    to(ms) {
      self.playing = false;
      const wanted = ((ms % (length + beat)) + length + beat) % (length + beat);
      shown.toMoment(wanted);
      clearTimeout(self.timer);
      self.timer = setTimeout(keep, 200);
    },
    step: (n) => self.to(Math.round(shown.moment / beat) * beat + n * 2 * beat),
    async toggle() {
      self.playing = !self.playing;
      tell();
      if (!self.playing) return keep();
      // The next picture follows when this one is complete. Its time advances by the time that this one took.
      const mine = (self.run = {});
      const film = shown.view.film ? await import("./film.js").then((m) => m.film(shown)).catch(() => {}) : undefined;
      for (let from = performance.now() - shown.moment; self.playing && self.run === mine; ) {
        if (document.hidden || !self.node.offsetParent) return self.toggle(); // not visible
        const passed = Math.floor((performance.now() - from) % length);
        if (film) await film.draw((shown.moment = passed));
        else await shown.toMoment(shown.smooth ? passed : Math.floor(passed / beat) * beat);
        if (!film && !shown.smooth) await new Promise((r) => setTimeout(r, beat - ((performance.now() - from) % beat)));
      }
      film?.close();
    },
    close() {
      self.playing = false;
      clearTimeout(self.timer);
    },
  };
  tell();
  return self;
}
