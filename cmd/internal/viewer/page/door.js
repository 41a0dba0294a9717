// The way to the program: by HTTP, or to a worker in this browser, which a page around this one offers as trowel.
// parent is this window if there is no page around it.
const { trowel } = parent;

// get is fetch, for addresses of the program.
export const get = trowel?.get ?? ((...how) => fetch(...how));

// events returns the events of the program, like an EventSource.
export const events = () => trowel?.events() ?? new EventSource("/events");
