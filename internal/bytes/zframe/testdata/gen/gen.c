/*
 * Compresses with C zstd what it is sent.  It is the other side of the tests:
 *
 *     cc -O2 -o gen testdata/gen/gen.c -lzstd
 *
 * It reads requests from standard input until that ends, and writes one answer
 * to each to standard output.  Numbers are 32 bits, little-endian.
 *
 *     request: level, piece, checksum, length, bytes
 *     answer:  length, bytes
 *
 * With a piece of 0 the frame states its size.  With another it is made as a
 * stream, flushed after that many bytes, and states none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

static void die(const char *what)
{
	fprintf(stderr, "gen: %s\n", what);
	exit(1);
}

static void *get(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("out of memory");
	return p;
}

static int read32(unsigned long *v)
{
	unsigned char b[4];

	if (fread(b, 1, 4, stdin) != 4)
		return 0;
	*v = b[0] | (unsigned long)b[1] << 8 | (unsigned long)b[2] << 16 | (unsigned long)b[3] << 24;
	return 1;
}

static void write32(unsigned long v)
{
	int i;

	for (i = 0; i < 32; i += 8)
		putchar(v >> i & 0xff);
}

static size_t sure(size_t n)
{
	if (ZSTD_isError(n))
		die(ZSTD_getErrorName(n));
	return n;
}

int main(void)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	unsigned long level, piece, sum, n;

	while (read32(&level) && read32(&piece) && read32(&sum) && read32(&n)) {
		size_t room = ZSTD_compressBound(n) + (piece ? 32 * (n / piece) : 0) + 64;
		char *in = get(n), *out = get(room);
		ZSTD_outBuffer o = { out, room, 0 };

		if (fread(in, 1, n, stdin) != n)
			die("a request that is cut off");
		sure(ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters));
		sure(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level));
		sure(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, sum));
		if (piece) {
			ZSTD_inBuffer i = { in, 0, 0 };

			while (i.size < n) {
				i.size = i.size + piece < n ? i.size + piece : n;
				if (sure(ZSTD_compressStream2(c, &o, &i, ZSTD_e_flush)))
					die("no room");
			}
			if (sure(ZSTD_compressStream2(c, &o, &i, ZSTD_e_end)))
				die("no room");
		} else {
			o.pos = sure(ZSTD_compress2(c, out, room, in, n));
		}
		write32(o.pos);
		if (fwrite(out, 1, o.pos, stdout) != o.pos || fflush(stdout))
			die("cannot write");
		free(in);
		free(out);
	}
	return 0;
}
