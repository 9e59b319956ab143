/* A program that plays any game at random, by the protocol of arena's engines: cc -O2 -o bot bot.c */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the value at `at` ends: a text, a list, an object, or a word such as 5 or true. */
static char *after(char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                if (*at == '\\' && at[1])
                    at++;
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if (*at == ']' || *at == '}') {
            depth--;
        } else if (depth == 0) {
            return at + strcspn(at, ",]}\n");
        }
        if (*at)
            at++;
    } while (*at && depth > 0);
    return at;
}

/* The value of a field of an object, which arena writes without spaces; NULL if it has no such field. */
static char *field(char *object, const char *name)
{
    char *at = object + 1;
    while (*at == '"') {
        char *value = after(at) + 1;
        if (strncmp(at + 1, name, strlen(name)) == 0 && at[1 + strlen(name)] == '"')
            return value;
        at = after(value);
        if (*at == ',')
            at++;
    }
    return NULL;
}

/* Splitmix64 (Steele, Lea & Flood 2014). */
static uint64_t mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* One of a list of moves, of which there is at least one, as it stands there, quotes and all. */
static void answer(long id, char *moves, uint64_t seed)
{
    uint64_t number = 0;
    for (char *at = moves + 1; *at == '"'; at = after(at) + 1)
        number++;
    char *move = moves + 1;
    for (uint64_t left = mixed(seed) % number; left > 0; left--)
        move = after(move) + 1;
    printf("{\"id\":%ld,\"move\":%.*s}\n", id, (int)(after(move) - move), move);
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *id = field(line, "id"), *type = field(line, "type");
        char *moves = field(line, "moves"), *seed = field(line, "seed");
        if (!id || !type)
            continue;
        if (strncmp(type, "\"hello\"", 7) == 0)
            printf("{\"id\":%ld,\"protocol\":1,\"name\":\"Random in C\"}\n", atol(id));
        if (strncmp(type, "\"move\"", 6) == 0 && moves)
            answer(atol(id), moves, seed ? strtoull(seed, NULL, 10) : 0);
        fflush(stdout);
    }
    return 0;
}
