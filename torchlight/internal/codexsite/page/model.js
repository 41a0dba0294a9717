// The model of a thing: it turns with the pointer and the arrow keys.
import { read } from "./glb.js";
import { around, painter } from "./paint.js";

const lamp = [-0.4, 0.6, Math.sqrt(1 - 0.4 * 0.4 - 0.6 * 0.6)], light = { lamp, ambient: 0.45, direct: 0.65 }; // as the game's pictures
const front = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], start = [-30, 20]; // right, up and toward the eye; degrees

// show draws a model on a canvas, until it leaves the page.
export async function show(canvas, address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const model = read(await answer.arrayBuffer()), made = await painter(canvas, model), { middle, far } = made.box();
  let [yaw, pitch] = start, larger = 1, drag, waiting = false;
  const draw = () => {
    waiting = false;
    if (!canvas.isConnected) return made.close();
    const k = Math.min(devicePixelRatio, 2), width = Math.max(1, Math.round(canvas.clientWidth * k)), height = Math.max(1, Math.round(canvas.clientHeight * k));
    const paper = getComputedStyle(canvas).backgroundColor.match(/[\d.]+/g)?.slice(0, 3).map((v) => v / 255) ?? [0, 0, 0];
    made.draw({ axes: around(front, yaw, pitch), middle, far, scale: (Math.min(width, height) / 2 / far) * larger, width, height, turnable: light, seconds: 0, pan: [0, 0], paper });
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  };
  const turn = (left, up) => {
    yaw = (yaw - left) % 360;
    pitch = Math.max(-89, Math.min(89, pitch + up));
    soon();
  };
  const closer = (k) => {
    larger = Math.max(0.25, Math.min(16, larger * k));
    soon();
  };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    drag = [e.clientX, e.clientY];
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return;
    turn((drag[0] - e.clientX) / 2, (e.clientY - drag[1]) / 2);
    drag = [e.clientX, e.clientY];
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (drag = undefined));
  canvas.addEventListener("wheel", (e) => (e.preventDefault(), closer(e.deltaY < 0 ? 1.25 : 0.8)), { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const does = { ArrowLeft: () => turn(15, 0), ArrowRight: () => turn(-15, 0), ArrowUp: () => turn(0, 15), ArrowDown: () => turn(0, -15), "+": () => closer(1.25), "-": () => closer(0.8) }[e.key];
    if (!does || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    does();
  });
  new ResizeObserver(soon).observe(canvas);
  soon();
}
