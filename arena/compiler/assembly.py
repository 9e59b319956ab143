"""Writes a unit as LLVM assembly; functions are rewritten until their types no longer change."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from arena.compiler import wrapper
from arena.compiler.errors import CannotCompile, is_real
from arena.compiler.function.emitter import ATTRIBUTE, CHANGING, CONSTANT, NOTE
from arena.compiler.function.function import write
from arena.compiler.function.vectors import LENGTHEN
from arena.compiler.hashing import COMMON
from arena.compiler.heap import HEAP
from arena.compiler.instance import APART, Instance
from arena.compiler.stack import BYTES
from arena.compiler.types import SPARE, Content
from arena.compiler.unit import Unit

NESTED = 6  # most functions that are being written at once, each called by the one before
EARLY = 3  # most times that a function is written before its caller continues
ROUNDS = 50  # rounds after which it is assumed that types never settle


# the clock id in C for the clock of `time.perf_counter_ns`; None if there is none
CLOCK = getattr(time, "CLOCK_UPTIME_RAW", getattr(time, "CLOCK_MONOTONIC", None))


INTRINSICS = """
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.copysign.f64(double, double)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
!0 = !{!"branch_weights", i32 1, i32 100000}
!9 = !{}
!10 = !{!"memory"}
!1 = !{!"attributes", !10, i64 0}
!2 = !{!"arrays", !10, i64 0}
!3 = !{!"lists", !10, i64 0}
!4 = !{!"random", !10, i64 0}
!11 = !{!1, !1, i64 0}
!12 = !{!2, !2, i64 0}
!13 = !{!3, !3, i64 0}
!14 = !{!4, !4, i64 0}
"""

HELPERS = {
    "heap": HEAP,
    "tables": COMMON,
    "vectors": LENGTHEN,
    # the same as CPython's float_rem and float_floor_div
    "mod": """
define internal double @arena.mod(double %x, double %y) nounwind {
  %m = call double @fmod(double %x, double %y) nobuiltin
  %zero = fcmp oeq double %m, 0x0000000000000000
  %ysign = fcmp olt double %y, 0x0000000000000000
  %msign = fcmp olt double %m, 0x0000000000000000
  %differ = xor i1 %ysign, %msign
  %up = fadd double %m, %y
  %signed = select i1 %differ, double %up, double %m
  %none = call double @llvm.copysign.f64(double 0x0000000000000000, double %y)
  %made = select i1 %zero, double %none, double %signed
  ret double %made
}
""",
    "floordiv": """
define internal double @arena.floordiv(double %x, double %y) nounwind {
  %m = call double @fmod(double %x, double %y) nobuiltin
  %d = fsub double %x, %m
  %q = fdiv double %d, %y
  %some = fcmp une double %m, 0x0000000000000000
  %ysign = fcmp olt double %y, 0x0000000000000000
  %msign = fcmp olt double %m, 0x0000000000000000
  %differ = xor i1 %ysign, %msign
  %lower = and i1 %some, %differ
  %less = fsub double %q, 0x3FF0000000000000
  %div = select i1 %lower, double %less, double %q
  %any = fcmp une double %div, 0x0000000000000000
  %floor = call double @llvm.floor.f64(double %div)
  %rest = fsub double %div, %floor
  %far = fcmp ogt double %rest, 0x3FE0000000000000
  %more = fadd double %floor, 0x3FF0000000000000
  %near = select i1 %far, double %more, double %floor
  %plain = fdiv double %x, %y
  %none = call double @llvm.copysign.f64(double 0x0000000000000000, double %plain)
  %made = select i1 %any, double %near, double %none
  ret double %made
}
""",
    # the stack, see `stack.py`. `floor`: the lowest address that may be used from an address on; `calls`: how
    # many further recursive calls of a given size fit; `full`: whether a given number of bytes does not fit
    "floor": f"""
declare ptr @PyThread_tss_get(ptr)
declare i64 @arena_stack(i64)
define internal i64 @arena.floor(i64 %here) noinline nounwind {{
begin:
  %key = load ptr, ptr getelementptr (i64, ptr @limits, i64 1)
  %kept = call ptr @PyThread_tss_get(ptr %key)
  %known = ptrtoint ptr %kept to i64
  %unknown = icmp eq i64 %known, 0
  br i1 %unknown, label %ask, label %end, !prof !0
ask:
  %asked = call i64 @arena_stack(i64 %here)
  br label %end
end:
  %lowest = phi i64 [%known, %begin], [%asked, %ask]
  %deepest = sub i64 %here, {BYTES}
  %low = call i64 @llvm.umax.i64(i64 %lowest, i64 %deepest)
  ret i64 %low
}}
""",
    "calls": """
define internal i64 @arena.calls(i64 %bytes) noinline nounwind {
  %byte = alloca i8
  %here = ptrtoint ptr %byte to i64
  %low = call i64 @arena.floor(i64 %here)
  %room = sub i64 %here, %low
  %some = call i64 @llvm.smax.i64(i64 %room, i64 0)
  %fit = udiv i64 %some, %bytes
  %others = sub i64 %fit, 1
  %most = load i64, ptr @limits
  %calls = call i64 @llvm.smin.i64(i64 %others, i64 %most)
  ret i64 %calls
}
""",
    "full": """
define internal i1 @arena.full(i64 %bytes) noinline nounwind {
  %byte = alloca i8
  %here = ptrtoint ptr %byte to i64
  %low = call i64 @arena.floor(i64 %here)
  %room = sub i64 %here, %low
  %full = icmp slt i64 %room, %bytes
  ret i1 %full
}
""",
    "clock": """
declare i64 @arena_clock()
define internal i64 @arena.clock() nounwind {
  %t = call i64 @arena_clock()
  ret i64 %t
}
"""
    if CLOCK is None
    else f"""
declare i32 @clock_gettime(i32, ptr)
define internal i64 @arena.clock() nounwind {{
  %time = alloca {{ i64, i64 }}
  %status = call i32 @clock_gettime(i32 {CLOCK}, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr i64, ptr %time, i64 1
  %ns = load i64, ptr %rest
  %whole = mul i64 %seconds, 1000000000
  %t = add i64 %whole, %ns
  ret i64 %t
}}
""",
}


NOTE_OVERFLOW = """
define internal void @note.{operation}(i64 %a, i64 %b, i32 %place) nounwind {{
  %pair = call {{ i64, i1 }} @llvm.s{operation}.with.overflow.i64(i64 %a, i64 %b)
  %over = extractvalue {{ i64, i1 }} %pair, 1
  call void @note(i1 %over, i32 %place)
  ret void
}}
"""
# functions that only a trial calls: each records the place of an operation if it overflows
NOTES = "".join(NOTE_OVERFLOW.format(operation=name) for name in ("add", "sub", "mul"))
NOTES += """
@overflow = global i32 0
define internal void @note.sdiv(i64 %a, i64 %b, i32 %place) nounwind {
  %least = icmp eq i64 %a, -9223372036854775808
  %one = icmp eq i64 %b, -1
  %over = and i1 %least, %one
  call void @note(i1 %over, i32 %place)
  ret void
}
define internal void @note.shl(i64 %a, i64 %b, i32 %place) nounwind {
  %shift = and i64 %b, 63
  %made = shl i64 %a, %shift
  %back = ashr i64 %made, %shift
  %over = icmp ne i64 %back, %a
  call void @note(i1 %over, i32 %place)
  call void @note.far(i64 %a, i64 %b, i32 %place)
  ret void
}
define internal void @note.far(i64 %a, i64 %b, i32 %place) nounwind {
  %far = icmp ugt i64 %b, 63
  %some = icmp ne i64 %a, 0
  %over = and i1 %far, %some
  call void @note(i1 %over, i32 %place)
  ret void
}
define internal void @note(i1 %over, i32 %place) nounwind {
  %known = load i32, ptr @overflow
  %first = icmp eq i32 %known, 0
  %new = and i1 %over, %first
  %next = select i1 %new, i32 %place, i32 %known
  store i32 %next, ptr @overflow
  ret void
}
"""


def trial_of(text: str) -> str:
    """Return the LLVM assembly of a unit with calls that record the first place where an int overflows."""
    return text.replace(NOTE, "") + NOTES


def text_of(unit: Unit, helpers: Mapping[str, str] = HELPERS) -> str:
    """Infer all types of a unit, and return the unit as LLVM assembly."""
    settle(unit)
    parts = [INTRINSICS]
    for entry, instance, _ in unit.entries.values():
        parts.append(wrapper.outside(unit, entry, instance))
        if entry.python:
            parts.append(wrapper.python(unit, entry))
    parts += [instance.text for instance in unit.reached()]
    parts += [helpers[name] for name in sorted(unit.helpers)]
    parts += [f"{name} = private unnamed_addr constant {text}" for text, name in unit.tables.items()]
    parts += unit.declared.values()
    parts.append(f"@objects = global [{len(wrapper.OBJECTS)} x ptr] zeroinitializer")
    parts.append("@limits = global [2 x i64] [i64 1000, i64 0]")  # most recursive calls; the key of `stack`
    parts += [catch(unit, classes, name) for classes, name in unit.catches.items()]
    if unit.loops:
        parts.append(f"@loops = global [{2 * len(unit.loops)} x i64] zeroinitializer")
    parts.append(f"@sites = global [{2 * len(unit.sites) + 2} x i64] zeroinitializer")
    stored = {f"{cls}.{name}" for cls, name in unit.stored}
    return re.sub(
        ATTRIBUTE + r"(\S+)", lambda found: CHANGING if found[1] in stored else CONSTANT, "\n".join(parts)
    )


def catch(unit: Unit, classes: tuple[type[BaseException], ...], name: str) -> str:
    """Return an LLVM function that tests whether the exception of a number is of one of the classes.

    It returns false for exceptions that only compiled code raises.
    """
    found = []
    for (cls, text, _, _), site in unit.sites.items():
        if issubclass(cls, classes) and is_real(cls, text):
            found.append(f"i32 {site}, label %yes")
    return f"""
define internal i1 @{name}(i32 %status) nounwind {{
  switch i32 %status, label %no [ {" ".join(found)} ]
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def settle(unit: Unit) -> None:
    """Write all instances, and rewrite those whose types, or types of their callees, have changed.

    Raises:
        CannotCompile: If types do not settle.
    """
    unit.write = partial(write_early, unit)
    for _ in range(ROUNDS):
        todo = [instance for instance in unit.reached() if not instance.text or instance.stale]
        if not todo and not limit_stack(unit):
            for instance in unit.reached():
                unit.check_known(instance)
            unit.check_sums()
            return
        changes = Content.changes
        for instance in reversed(todo):  # callees first
            if instance.text and not instance.stale:
                continue
            try:
                write_once(unit, instance)
            except CannotCompile:
                if instance.function not in unit.jitted or instance.function in unit.native:
                    raise
                unit.native.add(instance.function)  # numba's machine code is called instead
                for one in unit.instances.values():
                    one.text = ""
                break
        if Content.changes != changes:  # code that uses a container whose type has changed differs
            for instance in unit.instances.values():
                instance.text = ""
    raise CannotCompile("types that never settle")


def write_once(unit: Unit, instance: Instance) -> None:
    """Write an instance; its text is empty if what is known of types has changed meanwhile."""
    changed, unit.changed, instance.called = unit.changed, False, {}
    unit.writing.append(instance)
    try:
        text = write(unit, instance)
        instance.text = "" if unit.changed else text
    finally:
        unit.writing.pop()
        unit.changed = changed


def write_early(unit: Unit, instance: Instance) -> None:
    """Write a new instance where its first call is written, so that the caller knows the type of its result.

    Where this fails, `settle` writes the instance again.
    """
    if instance.captures or len(unit.writing) >= NESTED or instance in unit.writing:
        return
    with suppress(CannotCompile, RecursionError):
        for _ in range(EARLY):
            write_once(unit, instance)
            if instance.text:
                break


def limit_stack(unit: Unit) -> bool:
    """Mark the instances that are recursive, that call a recursive one, or that a recursive one calls.

    Returns:
        Whether any must be rewritten.
    """
    reached = unit.reached()
    callees = {instance: instance.callees() for instance in reached}
    recursive = {instance for instance in reached if instance in callees[instance]}
    within = recursive.union(*(callees[instance] for instance in recursive))
    changed, least = False, APART * (unit.cap + SPARE) // (unit.most + SPARE)
    for instance in reached:
        limited = instance in recursive or not recursive.isdisjoint(callees[instance])
        apart = instance.large or (instance in within and instance.bytes >= least)
        if (limited, apart) != (instance.limited, instance.apart):
            instance.recursive, instance.limited, instance.apart = instance in recursive, limited, apart
            instance.text, changed = "", True
    return changed
