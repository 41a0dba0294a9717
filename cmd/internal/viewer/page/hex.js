// Bytes beside fields.
export const panel = undefined;
