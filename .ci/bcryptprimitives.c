// A stub of the library that Go programs need on Windows for random numbers, and that Wine before 8.7 lacks.
// .ci/wine builds it.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
	while (size > 0) {
		ULONG n = size > 1 << 20 ? 1 << 20 : (ULONG)size;
		if (!RtlGenRandom(data, n)) return FALSE;
		data += n, size -= n;
	}
	return TRUE;
}
