// Many files, with a small picture of each.
export const panel = undefined;
