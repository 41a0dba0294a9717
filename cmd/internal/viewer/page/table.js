// A file of the tree that is a table.
export const panel = undefined;
