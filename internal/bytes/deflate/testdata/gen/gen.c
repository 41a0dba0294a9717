/*
 * Compresses with C zlib what it is sent.  It is the other side of the tests:
 * cc_test.go builds and runs it, both to compare at random and to write the
 * files in testdata anew:
 *
 *     cc -O2 -o gen testdata/gen/gen.c -lz
 *     go test -run TestGolden -update
 *
 * It reads requests from standard input until that ends, and writes one answer
 * to each to standard output.  Numbers are 32 bits, little-endian.
 *
 *     request: level, length, bytes
 *     answer:  length, bytes
 *
 * With the argument "version" it prints the version of zlib.  With "time", a
 * level, a number of rounds and a file it prints how many MB/s that level does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

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

static void answer(int level, unsigned long n)
{
	unsigned char *in = get(n);
	uLongf size = compressBound(n);
	unsigned char *out = get(size);

	if (fread(in, 1, n, stdin) != n)
		die("a request is cut off");
	if (compress2(out, &size, in, n, level) != Z_OK)
		die("compress2 failed");
	write32(size);
	if (fwrite(out, 1, size, stdout) != size || fflush(stdout))
		die("cannot write");
	free(in);
	free(out);
}

static void measure(int level, int rounds, const char *name)
{
	FILE *f = fopen(name, "rb");
	unsigned char *in, *out;
	uLongf size, bound;
	struct timespec a, b;
	double best = 0;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
		die("cannot open the file");
	rewind(f);
	in = get(n);
	if (fread(in, 1, n, f) != (size_t)n)
		die("cannot read the file");
	out = get(bound = compressBound(n));
	while (rounds-- > 0) {
		double mbs;

		size = bound;
		clock_gettime(CLOCK_MONOTONIC, &a);
		if (compress2(out, &size, in, n, level) != Z_OK)
			die("compress2 failed");
		clock_gettime(CLOCK_MONOTONIC, &b);
		mbs = n / 1e6 / ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9);
		if (mbs > best)
			best = mbs;
	}
	printf("%.2f MB/s\n", best);
}

int main(int argc, char **argv)
{
	unsigned long level, n;

	if (argc == 2 && !strcmp(argv[1], "version")) {
		puts(zlibVersion());
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "time")) {
		measure(atoi(argv[2]), atoi(argv[3]), argv[4]);
		return 0;
	}
	while (read32(&level) && read32(&n))
		answer((int)level, n);
	return 0;
}
