package effort

// Raises is empty: the page in a browser has no options.
const Raises = ""
