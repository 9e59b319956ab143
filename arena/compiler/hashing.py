"""The hash tables of compiled dictionaries and sets: their layout in memory, and LLVM functions for them.

A table has a header of eight words, which points to its entries and its index. The entries are stored one
after the other in order of insertion, so that iteration has the same order as in Python. Each consists of
a hash, the words of the key and the words of the value; the hash of a deleted entry is 0. The index has
twice as many slots as there is room for entries. A slot is found by the hash with linear probing, and
contains the position of an entry plus 1; 0 means that the slot is free.
"""

from __future__ import annotations

from collections.abc import Iterable

COUNT, USED, ROOM, MASK, INDEX, ENTRIES, REGION = range(7)  # words of a header
HEADER = 8  # words
LEAST = 8  # entries that a table has room for at first
MOST = 1 << 30  # entries
FACTOR = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


def hash_of(words: Iterable[int]) -> int:
    """Return the hash of a key's words, as compiled code computes it; it is never 0."""
    found = 0
    for word in words:
        found = ((found ^ (word & WORD)) * FACTOR) & WORD
        found ^= found >> 32
    return found | 1


def name_of(what: str, key: int, value: int) -> str:
    """Return the name of a function for entries with `key` words of key and `value` words of value."""
    return f"@arena.{what}.{key}.{value}"


def functions(key: int, value: int) -> str:
    """Return `find` and `add` in LLVM for entries with `key` words of key and `value` words of value."""
    takes = "".join(f", i64 %k{j}" for j in range(key))
    given = "".join(f", i64 %k{j}" for j in range(key))
    entry = f"[{1 + key + value} x i64]"
    hashed = ["%h0 = add i64 0, 0"]
    for j in range(key):
        hashed += [
            f"%x{j} = xor i64 %h{j}, %k{j}", f"%m{j} = mul i64 %x{j}, {FACTOR - (1 << 64)}",
            f"%s{j} = lshr i64 %m{j}, 32", f"%h{j + 1} = xor i64 %m{j}, %s{j}",
        ]  # fmt: skip
    hashed.append(f"%h = or i64 %h{key}, 1")
    compared = ["%e0 = icmp eq i64 %eh, %h"]
    for j in range(key):
        compared += [
            f"%p{j} = getelementptr i64, ptr %entry, i64 {1 + j}", f"%w{j} = load i64, ptr %p{j}, !tbaa !15",
            f"%q{j} = icmp eq i64 %w{j}, %k{j}", f"%e{j + 1} = and i1 %e{j}, %q{j}",
        ]  # fmt: skip
    stored = []
    for j in range(key):
        stored += [
            f"%z{j} = getelementptr i64, ptr %entry, i64 {1 + j}",
            f"store i64 %k{j}, ptr %z{j}, !tbaa !15",
        ]
    hash_lines, same_lines, key_lines = (
        "\n".join(f"  {line}" for line in lines) for lines in (hashed, compared, stored)
    )
    return f"""
define internal ptr {name_of("find", key, value)}(ptr %d{takes}) nounwind {{
begin:
  %count = load i64, ptr %d, !tbaa !15
  %nothing = icmp eq i64 %count, 0
  br i1 %nothing, label %none, label %some
some:
{hash_lines}
  %maskp = getelementptr i64, ptr %d, i64 {MASK}
  %mask = load i64, ptr %maskp, !tbaa !15
  %indexp = getelementptr i64, ptr %d, i64 {INDEX}
  %index = load ptr, ptr %indexp, !tbaa !15
  %entriesp = getelementptr i64, ptr %d, i64 {ENTRIES}
  %entries = load ptr, ptr %entriesp, !tbaa !15
  br label %loop
loop:
  %i = phi i64 [%h, %some], [%following, %other]
  %at = and i64 %i, %mask
  %placep = getelementptr i32, ptr %index, i64 %at
  %place = load i32, ptr %placep, !tbaa !15
  %free = icmp eq i32 %place, 0
  br i1 %free, label %none, label %taken
taken:
  %number = sub i32 %place, 1
  %wide = zext i32 %number to i64
  %entry = getelementptr {entry}, ptr %entries, i64 %wide
  %eh = load i64, ptr %entry, !tbaa !15
{same_lines}
  br i1 %e{key}, label %found, label %other
other:
  %following = add i64 %at, 1
  br label %loop
found:
  ret ptr %entry
none:
  ret ptr null
}}
define internal ptr {name_of("add", key, value)}(ptr %d{takes}) nounwind {{
begin:
  %before = call ptr {name_of("find", key, value)}(ptr %d{given})
  %known = icmp ne ptr %before, null
  br i1 %known, label %had, label %new
had:
  ret ptr %before
new:
  %usedp = getelementptr i64, ptr %d, i64 {USED}
  %used = load i64, ptr %usedp, !tbaa !15
  %roomp = getelementptr i64, ptr %d, i64 {ROOM}
  %room = load i64, ptr %roomp, !tbaa !15
  %full = icmp eq i64 %used, %room
  br i1 %full, label %grow, label %fits
grow:
  %grown = call i1 @arena.grow(ptr %d, i64 {1 + key + value})
  br i1 %grown, label %fits, label %failed
failed:
  ret ptr null
fits:
{hash_lines}
  %last = load i64, ptr %usedp, !tbaa !15
  %next = add i64 %last, 1
  store i64 %next, ptr %usedp, !tbaa !15
  %count = load i64, ptr %d, !tbaa !15
  %more = add i64 %count, 1
  store i64 %more, ptr %d, !tbaa !15
  %entriesp = getelementptr i64, ptr %d, i64 {ENTRIES}
  %entries = load ptr, ptr %entriesp, !tbaa !15
  %entry = getelementptr {entry}, ptr %entries, i64 %last
  store i64 %h, ptr %entry, !tbaa !15
{key_lines}
  call void @arena.enter(ptr %d, i64 %h, i64 %next)
  ret ptr %entry
}}
"""


# `enter` stores the position of an entry plus 1 in the index; `grow` makes room for more entries of a given
# number of words, by removing the deleted ones if they are at least half, else by doubling the memory;
# `clear` removes all entries
COMMON = f"""
define internal void @arena.enter(ptr %d, i64 %h, i64 %number) nounwind {{
begin:
  %maskp = getelementptr i64, ptr %d, i64 {MASK}
  %mask = load i64, ptr %maskp, !tbaa !15
  %indexp = getelementptr i64, ptr %d, i64 {INDEX}
  %index = load ptr, ptr %indexp, !tbaa !15
  br label %loop
loop:
  %i = phi i64 [%h, %begin], [%following, %other]
  %at = and i64 %i, %mask
  %placep = getelementptr i32, ptr %index, i64 %at
  %place = load i32, ptr %placep, !tbaa !15
  %free = icmp eq i32 %place, 0
  br i1 %free, label %found, label %other
other:
  %following = add i64 %at, 1
  br label %loop
found:
  %narrow = trunc i64 %number to i32
  store i32 %narrow, ptr %placep, !tbaa !15
  ret void
}}
define internal ptr @arena.memory(ptr %region, i64 %bytes) nounwind {{
  %owned = icmp eq ptr %region, null
  br i1 %owned, label %system, label %call
system:
  %one = call ptr @malloc(i64 %bytes)
  ret ptr %one
call:
  %other = call ptr @arena.alloc(ptr %region, i64 %bytes)
  ret ptr %other
}}
define internal i1 @arena.grow(ptr %d, i64 %words) noinline nounwind {{
begin:
  %count = load i64, ptr %d, !tbaa !15
  %usedp = getelementptr i64, ptr %d, i64 {USED}
  %used = load i64, ptr %usedp, !tbaa !15
  %roomp = getelementptr i64, ptr %d, i64 {ROOM}
  %room = load i64, ptr %roomp, !tbaa !15
  %maskp = getelementptr i64, ptr %d, i64 {MASK}
  %indexp = getelementptr i64, ptr %d, i64 {INDEX}
  %oldindex = load ptr, ptr %indexp, !tbaa !15
  %entriesp = getelementptr i64, ptr %d, i64 {ENTRIES}
  %old = load ptr, ptr %entriesp, !tbaa !15
  %regionp = getelementptr i64, ptr %d, i64 {REGION}
  %region = load ptr, ptr %regionp, !tbaa !15
  %twice = shl i64 %count, 1
  %sparse = icmp ule i64 %twice, %used
  %any = icmp ne i64 %used, 0
  %same = and i1 %sparse, %any
  br i1 %same, label %inplace, label %larger
larger:
  %double = shl i64 %room, 1
  %newroom = call i64 @llvm.umax.i64(i64 %double, i64 {LEAST})
  %toomany = icmp ugt i64 %newroom, {MOST}
  br i1 %toomany, label %fail, label %try
try:
  %entrywords = mul i64 %newroom, %words
  %entrybytes = shl i64 %entrywords, 3
  %newentries = call ptr @arena.memory(ptr %region, i64 %entrybytes)
  %noentries = icmp eq ptr %newentries, null
  br i1 %noentries, label %fail, label %try2
try2:
  %newbytes = shl i64 %newroom, 3
  %newindex = call ptr @arena.memory(ptr %region, i64 %newbytes)
  %noindex = icmp eq ptr %newindex, null
  br i1 %noindex, label %undo, label %made
undo:
  %owned1 = icmp eq ptr %region, null
  br i1 %owned1, label %undone, label %fail
undone:
  call void @free(ptr %newentries)
  br label %fail
made:
  %newplaces = shl i64 %newroom, 1
  %newmask = sub i64 %newplaces, 1
  store i64 %newmask, ptr %maskp, !tbaa !15
  store i64 %newroom, ptr %roomp, !tbaa !15
  store ptr %newindex, ptr %indexp, !tbaa !15
  store ptr %newentries, ptr %entriesp, !tbaa !15
  br label %copy
inplace:
  %samebytes = shl i64 %room, 3
  br label %copy
copy:
  %to = phi ptr [%newentries, %made], [%old, %inplace]
  %places = phi ptr [%newindex, %made], [%oldindex, %inplace]
  %bytes = phi i64 [%newbytes, %made], [%samebytes, %inplace]
  call void @llvm.memset.p0.i64(ptr %places, i8 0, i64 %bytes, i1 false)
  %size = shl i64 %words, 3
  br label %loop
loop:
  %i = phi i64 [0, %copy], [%nexti, %next]
  %kept = phi i64 [0, %copy], [%keptnow, %next]
  %more = icmp ult i64 %i, %used
  br i1 %more, label %look, label %done
look:
  %fromword = mul i64 %i, %words
  %from = getelementptr i64, ptr %old, i64 %fromword
  %h = load i64, ptr %from, !tbaa !15
  %dead = icmp eq i64 %h, 0
  br i1 %dead, label %next, label %live
live:
  %toword = mul i64 %kept, %words
  %target = getelementptr i64, ptr %to, i64 %toword
  call void @llvm.memmove.p0.p0.i64(ptr %target, ptr %from, i64 %size, i1 false)
  %number = add i64 %kept, 1
  call void @arena.enter(ptr %d, i64 %h, i64 %number)
  br label %next
next:
  %keptnow = phi i64 [%kept, %look], [%number, %live]
  %nexti = add i64 %i, 1
  br label %loop
done:
  store i64 %count, ptr %usedp, !tbaa !15
  %owned = icmp eq ptr %region, null
  %moved = icmp ne ptr %to, %old
  %freed = and i1 %owned, %moved
  br i1 %freed, label %release, label %ok
release:
  call void @free(ptr %old)
  call void @free(ptr %oldindex)
  br label %ok
ok:
  ret i1 true
fail:
  ret i1 false
}}
define internal void @arena.clear(ptr %d) noinline nounwind {{
  store i64 0, ptr %d, !tbaa !15
  %usedp = getelementptr i64, ptr %d, i64 {USED}
  store i64 0, ptr %usedp, !tbaa !15
  %roomp = getelementptr i64, ptr %d, i64 {ROOM}
  %room = load i64, ptr %roomp, !tbaa !15
  %indexp = getelementptr i64, ptr %d, i64 {INDEX}
  %index = load ptr, ptr %indexp, !tbaa !15
  %some = icmp ne i64 %room, 0
  br i1 %some, label %wipe, label %end
wipe:
  %bytes = shl i64 %room, 3
  call void @llvm.memset.p0.i64(ptr %index, i8 0, i64 %bytes, i1 false)
  br label %end
end:
  ret void
}}
"""
