// Two files.
export const panel = undefined;
export const changes = undefined;
