package sandbox

// This processor has no older forms of calls.
var namedCalls []uint32

const openCall = 0
