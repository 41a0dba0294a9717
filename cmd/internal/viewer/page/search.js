// What is searched for.
export const panel = undefined;
