package host

// StateFolderOf and AdviceOn are for the tests of all systems.
var (
	StateFolderOf = stateFolder
	AdviceOn      = adviceOn
)
