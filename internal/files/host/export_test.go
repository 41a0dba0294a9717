package host

// StateFolderOf is for the tests of all systems.
var StateFolderOf = stateFolder
