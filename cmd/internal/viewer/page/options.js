// Options of the picture.
export const panel = undefined;
