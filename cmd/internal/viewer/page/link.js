// The link to the visible place. If there is a page around this one (see door.js), it is the address of that.
const { trowel, location } = parent;

export async function copy(context) {
  if (trowel && !trowel.linked()) return context.say("A link cannot open these files: they are in this browser only");
  try {
    await navigator.clipboard.writeText(location.href);
    context.say("The link is copied");
  } catch {
    context.say("The browser does not allow to copy here: the link is in the address bar");
  }
}
