// Small pictures of the changes in the list: each shows the place of a change after it, and is fetched when it is seen.
import { get } from "./api.js";
import { el } from "./dom.js";

// shots returns the pictures of a list of changes (edits.js):
//   follow()   adapts them to the list, and fetches the picture of the last change at once: later changes are not in it
//   of(e)      the picture of a change in the list; undefined if it has none
//   close()
export function shots(list) {
  const kept = new Map(), waits = new WeakMap(); // kept: by the number of a change, {id, before, at, asked}
  const eye = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      eye.unobserve(target);
      show(target, waits.get(target));
    }
  }, { rootMargin: "200px" });
  const drop = ({ at }) => at && URL.revokeObjectURL(at);
  const ask = (one) => (one.asked ??= (async () => {
    const answer = await get(list.address(`/shot/${list.now.generation}/${one.id}`));
    if (answer.status === 404) return (one.none = true);
    if (!answer.ok) throw new Error(answer.statusText);
    one.at = URL.createObjectURL(await answer.blob());
  })().catch(() => (one.asked = undefined))); // the list has changed meanwhile: it is asked again with the next one

  const show = async (img, one) => {
    if (!one.at) await ask(one);
    if (one.none) img.hidden = true;
    else if (one.at) img.src = one.at;
  };

  return {
    follow() {
      const { now } = list, left = new Set(kept.keys());
      let before = now.hash, last; // what a change follows: the file, or the picture of another change
      for (const e of now.list) {
        if (e.off || e.error) continue;
        left.delete(e.id);
        let one = kept.get(e.id);
        if (one?.before !== before) {
          if (one) drop(one);
          kept.set(e.id, (one = { id: e.id, before }));
        }
        before = one;
        last = e;
      }
      for (const id of left) {
        drop(kept.get(id));
        kept.delete(id);
      }
      if (now.applied && last?.shot) ask(kept.get(last.id));
    },
    of(e) {
      const one = e.shot && kept.get(e.id);
      if (!one || one.none) return undefined;
      const img = el("img", { className: "shot", width: 96, height: 64, alt: "The place after the change", src: one.at });
      waits.set(img, one);
      if (!one.at) one.asked ? show(img, one) : eye.observe(img);
      return img;
    },
    close() {
      eye.disconnect();
      for (const one of kept.values()) drop(one);
    },
  };
}
