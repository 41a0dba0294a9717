// What check finds.
export const panel = undefined;
