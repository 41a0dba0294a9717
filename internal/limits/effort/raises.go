//go:build !js

package effort

// Raises follows a message about a budget that was met.
const Raises = " (--effort raises this)"
