// The list of changes as the program has it, for all panels that change it.
import { get, json, url } from "./api.js";
import { on } from "./live.js";

class Edits {
  constructor({ session, busy }) {
    Object.assign(this, { file: session.edit, busy, now: undefined, watchers: new Set(), last: Promise.resolve(), sent: 0 });
    on("edited", (e) => e.file === this.file && (e.revision !== this.now?.revision || !this.now.applied) && this.renew());
    on("changed", (e) => e.file !== this.file && this.renew());
    on("broken", () => this.renew());
    on("hello", () => this.now && this.renew()); // after an interruption, events may be missing
  }

  address(what = "", query) { return url(this.file, "edit" + what, query); }

  // renew fetches the list. Calls while it is fetched have the list after them.
  renew() {
    return (this.next ??= (async () => {
      await this.fetching;
      this.next = undefined;
      this.fetching = json(this.address()).then((now) => this.set(now), () => {});
      return this.fetching;
    })());
  }

  set(now) {
    if (now.revision < this.now?.revision && now.hash === this.now.hash) return; // a late answer
    this.now = now;
    for (const f of this.watchers) f(now);
  }

  // watch calls back when the list has changed.
  watch(f) {
    this.watchers.add(f);
    return () => this.watchers.delete(f);
  }

  // post changes the list, after all earlier calls, and returns the answer.
  post(what, body) {
    const next = this.last.then(async () => {
      const answer = await get(this.address(what), { method: "POST", headers: { "Content-Type": "application/json", "Trowel-Edit": this.now.hash }, body: JSON.stringify({ revision: this.now.revision, ...body }) });
      const data = await answer.json().catch(() => ({}));
      if (!answer.ok) {
        if (answer.status === 409) await this.renew();
        throw new Error(data.error || answer.statusText);
      }
      return data;
    });
    this.last = next.catch(() => {});
    return this.busy("the changes", next);
  }

  // act changes the list and waits until it is applied.
  async act(does) {
    this.set(await this.post("", does));
  }

  // back undoes or redoes, after all earlier calls, and reports whether there was something.
  async back(how) {
    await this.last;
    if (!this.now[how]) return false;
    await this.act({ do: how });
    return true;
  }

  // add adds an operation, and returns the new revision of the list before it is applied. title is what the user did, in words.
  async add(words, title) {
    this.sent++;
    try {
      const { revision } = await this.post("", { do: "add", words, title, soon: true });
      if (this.now.revision < revision) Object.assign(this.now, { revision, undo: true, redo: false, applied: false });
      return revision;
    } finally {
      this.sent--;
    }
  }

  // idle waits until the list is applied.
  async idle() {
    while (this.sent || !this.now.applied) await new Promise((done) => {
      const stop = this.watch(() => (stop(), done()));
      if (this.sent) this.last.then(done);
    });
  }
}

let one;
// edits returns the list of the page, once it is known.
export async function edits(context) {
  one ??= new Edits(context);
  if (!one.now) await one.renew();
  return one;
}
