"""Memory that compiled code allocates while it runs.

A *region* is the memory that one call from outside allocates; it is freed when that call returns. It is a
linked list of blocks from C's `malloc`, and memory is taken from the last block. A function whose arguments
and result cannot refer to memory of the region frees what it has allocated when it returns, so that a search
needs only the memory of one line of play.

Memory for the attributes of a component is allocated by `malloc` directly, and freed with the component; see
`native.py`.
"""

from __future__ import annotations

FIRST, MOST = 1 << 15, 1 << 20  # size of a region's first block, and largest usual size of later ones
ALIGNED = 16  # bytes
REGION = "{ ptr, i64, i64 }"  # the last block, the next free byte in it, its end
PIECE = 16  # bytes at the beginning of a block: the address of the previous block, and the size
LIMIT = 1 << 40  # larger allocations, in bytes, fail without an attempt

HEAP = f"""
declare ptr @malloc(i64)
declare void @free(ptr)
!5 = !{{!"heap", !10, i64 0}}
!15 = !{{!5, !5, i64 0}}
define internal ptr @arena.alloc(ptr %heap, i64 %bytes) nounwind {{
  %some = call i64 @llvm.umax.i64(i64 %bytes, i64 1)
  %more = add i64 %some, {ALIGNED - 1}
  %size = and i64 %more, {-ALIGNED}
  %nextp = getelementptr i64, ptr %heap, i64 1
  %endp = getelementptr i64, ptr %heap, i64 2
  %next = load i64, ptr %nextp
  %end = load i64, ptr %endp
  %room = sub i64 %end, %next
  %full = icmp ugt i64 %size, %room
  br i1 %full, label %grow, label %fits, !prof !0
fits:
  %after = add i64 %next, %size
  store i64 %after, ptr %nextp
  %made = inttoptr i64 %next to ptr
  ret ptr %made
grow:
  %other = call ptr @arena.piece(ptr %heap, i64 %size)
  ret ptr %other
}}
define internal ptr @arena.piece(ptr %heap, i64 %size) noinline nounwind {{
begin:
  %huge = icmp ugt i64 %size, {LIMIT}
  br i1 %huge, label %none, label %some
some:
  %last = load ptr, ptr %heap
  %first = icmp eq ptr %last, null
  br i1 %first, label %measured, label %other
other:
  %sizep = getelementptr i64, ptr %last, i64 1
  %before = load i64, ptr %sizep
  %double = shl i64 %before, 1
  %less = call i64 @llvm.umin.i64(i64 %double, i64 {MOST})
  br label %measured
measured:
  %usual = phi i64 [{FIRST}, %some], [%less, %other]
  %least = add i64 %size, {PIECE}
  %bytes = call i64 @llvm.umax.i64(i64 %usual, i64 %least)
  %piece = call ptr @malloc(i64 %bytes)
  %failed = icmp eq ptr %piece, null
  br i1 %failed, label %none, label %made
made:
  store ptr %last, ptr %piece
  %piecesizep = getelementptr i64, ptr %piece, i64 1
  store i64 %bytes, ptr %piecesizep
  %address = ptrtoint ptr %piece to i64
  %start = add i64 %address, {PIECE}
  %next = add i64 %start, %size
  %end = add i64 %address, %bytes
  store ptr %piece, ptr %heap
  %nextp = getelementptr i64, ptr %heap, i64 1
  store i64 %next, ptr %nextp
  %endp = getelementptr i64, ptr %heap, i64 2
  store i64 %end, ptr %endp
  %found = inttoptr i64 %start to ptr
  ret ptr %found
none:
  ret ptr null
}}
define internal void @arena.release(ptr %heap, ptr %piece, i64 %next) noinline nounwind {{
begin:
  %last = load ptr, ptr %heap
  %same = icmp eq ptr %last, %piece
  br i1 %same, label %rest, label %loop
loop:
  %gone = phi ptr [%last, %begin], [%before, %loop]
  %before = load ptr, ptr %gone
  call void @free(ptr %gone)
  %all = icmp eq ptr %before, %piece
  br i1 %all, label %kept, label %loop
kept:
  store ptr %piece, ptr %heap
  %none = icmp eq ptr %piece, null
  br i1 %none, label %ends, label %sized
sized:
  %sizep = getelementptr i64, ptr %piece, i64 1
  %bytes = load i64, ptr %sizep
  %address = ptrtoint ptr %piece to i64
  %last_end = add i64 %address, %bytes
  br label %ends
ends:
  %end = phi i64 [0, %kept], [%last_end, %sized]
  %endp = getelementptr i64, ptr %heap, i64 2
  store i64 %end, ptr %endp
  br label %rest
rest:
  %nextp = getelementptr i64, ptr %heap, i64 1
  store i64 %next, ptr %nextp
  ret void
}}
"""
