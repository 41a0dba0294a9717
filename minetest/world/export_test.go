package world

// CheckRest is Check for all but the blocks, servers among it that other machines have if
// remote is set.
var CheckRest = checkRest
