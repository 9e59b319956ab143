/* arena's counter-based random numbers (splitmix64): number i of a stream is a hash of its seed and i. */

typedef struct {
    uint64_t seed, count;
} Stream;

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15;

INLINE uint64_t mix(uint64_t x)
{
    x += GOLDEN;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return (x ^ (x >> 31)) >> 1;
}

/* A whole number from 0 to n - 1. */
INLINE int below(Stream *stream, int n)
{
    return (mix(stream->seed + ++stream->count * GOLDEN) >> 32) * n >> 31;
}

/* The seed of the stream that a word names under a seed. */
INLINE uint64_t derive(uint64_t seed, uint64_t word)
{
    return mix(mix(mix(seed) ^ word));
}
