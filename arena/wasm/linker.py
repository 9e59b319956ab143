"""A linker that turns an object file from LLVM into a module that a page can load.

In the code of an object file, the addresses of data are relative to 0, and a list says where these addresses
occur (WebAssembly's "Object File Linking" conventions). The file imports its memory and stack. The linker
moves the data, and adds a memory to the module, which may contain other initial data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.wasm.binary import (
    CODE,
    CUSTOM,
    DATA,
    DATA_COUNT,
    EXPORT,
    GLOBAL,
    IMPORT,
    MEMORY,
    OF_FUNCTION,
    OF_GLOBAL,
    OF_MEMORY,
    OF_TABLE,
    Reader,
    module,
    number,
    padded,
    sections,
    signed,
    text,
    vector,
)

PAGE = 1 << 16  # bytes
I32, I32_CONST, END = 0x7F, 0x41, 0x0B
# kinds of address relocations: unsigned LEB128, signed LEB128, or four bytes
ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32 = 3, 4, 5
ADDRESSES = (ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32)
WITHOUT_ADDEND = (0, 1, 2, 6, 7)
UNDEFINED, HIDDEN, LOCAL, EXPLICIT_NAME = 0x10, 0x04, 0x02, 0x40  # flags of symbols
SYMBOLS = 8  # the subsection that lists symbols
FUNCTION_SYMBOL, DATA_SYMBOL, GLOBAL_SYMBOL, SECTION_SYMBOL = range(4)

Segment = tuple[int, bytes]  # address and content


class Object:
    """An object file.

    Attributes:
        data: Data segments, as address and content.
        size: Size of all data in bytes, including zeros that are not stored.
        imports: Functions that it imports, in order, with the indices of their types.
        exports: Indices of the functions that it defines, by name.
        code: Size of the code in bytes.
    """

    def __init__(self, written: bytes) -> None:
        self.sections = [(kind, bytearray(body)) for kind, body in sections(written)]
        self.notes = {}
        for kind, body in self.sections:
            if kind == CUSTOM:
                reader = Reader(bytes(body))
                name = reader.name()
                self.notes[name] = reader.rest()
        self.imports: list[tuple[str, int]] = []
        self.read_imports(Reader(self.section(IMPORT)))
        self.data = [*self.segments()]
        self.exports = dict(self.symbols())
        self.code = len(self.section(CODE))
        self.size = max((at + len(body) for at, body in self.data), default=0)

    def section(self, kind: int) -> bytes:
        return next((bytes(body) for other, body in self.sections if other == kind), b"\0")

    def read_imports(self, reader: Reader) -> None:
        for _ in range(reader.number()):
            reader.name()
            name, kind = reader.name(), reader.byte()
            if kind == OF_FUNCTION:
                self.imports.append((name, reader.number()))
            elif kind == OF_GLOBAL:
                if name != "__stack_pointer":
                    raise ValueError(f"an unknown global {name} is required")
                reader.at += 2
            else:
                reader.at += kind == OF_TABLE
                if reader.byte() & 1:
                    reader.number()
                reader.number()

    def segments(self) -> Iterator[Segment]:
        reader = Reader(self.section(DATA))
        for _ in range(reader.number()):
            if reader.byte() != 0 or reader.byte() != I32_CONST:
                raise ValueError("a data segment has no fixed address")
            at = reader.signed()
            reader.byte()
            yield at, reader.bytes()

    def symbols(self) -> Iterator[tuple[str, int]]:
        """Yield the names and indices of the functions that it exports."""
        linking = Reader(self.notes["linking"])
        linking.number()
        while linking.at < len(linking.data):
            kind, body = linking.byte(), Reader(linking.bytes())
            for _ in range(body.number() if kind == SYMBOLS else 0):
                what, flags = body.byte(), body.number()
                if what == DATA_SYMBOL:
                    body.name()
                    for _ in range(0 if flags & UNDEFINED else 3):
                        body.number()
                    continue
                at = body.number()
                named = what != SECTION_SYMBOL and (not flags & UNDEFINED or flags & EXPLICIT_NAME)
                name = body.name() if named else ""
                if what == FUNCTION_SYMBOL and not flags & (UNDEFINED | LOCAL):
                    yield name, at

    def moved(self, base: int) -> None:
        """Move the data to start at the address `base`, and adjust all addresses in the code."""
        for note, kind in (("reloc.CODE", CODE), ("reloc.DATA", DATA)):
            if note not in self.notes:
                continue
            reader = Reader(self.notes[note])
            if self.sections[reader.number()][0] != kind:
                raise ValueError(f"{note} relocates another section")
            body = next(part for other, part in self.sections if other == kind)
            for _ in range(reader.number()):
                how, at, _ = reader.byte(), reader.number(), reader.number()
                if how not in WITHOUT_ADDEND:
                    reader.signed()
                if how not in ADDRESSES and how not in WITHOUT_ADDEND:
                    raise ValueError(f"a relocation of kind {how} is required")
                if how in (ADDRESS_LEB, ADDRESS_SLEB):
                    there = Reader(bytes(body[at : at + 5]))
                    address = there.signed() if how == ADDRESS_SLEB else there.number()
                    body[at : at + 5] = padded(address + base)
                elif how == ADDRESS_I32:
                    address = int.from_bytes(body[at : at + 4], "little")
                    body[at : at + 4] = (address + base).to_bytes(4, "little")
        self.data = [(at + base, data) for at, data in self.segments()]


def linked(
    made: Object,
    base: int,
    data: Iterable[Segment],
    pages: int,
    stack: int,
    notes: Iterable[tuple[str, bytes]],
) -> bytes:
    """Link an object file to a module.

    The module exports the object's functions, `memory`, and `stack`, the stack pointer. It imports functions
    from `env`.

    Args:
        made: The object file.
        base: Address of its data.
        data: Other initial data in memory, as address and content.
        pages: Size of the memory in pages of 64 KB.
        stack: Address where the stack starts; it grows downwards.
        notes: Custom sections, as name and content.
    """
    made.moved(base)
    imports = [text("env") + text(name) + bytes([OF_FUNCTION]) + number(kind) for name, kind in made.imports]
    exports = [text(name) + bytes([OF_FUNCTION]) + number(at) for name, at in made.exports.items()]
    exports += [text("memory") + bytes([OF_MEMORY, 0]), text("stack") + bytes([OF_GLOBAL, 0])]
    segments = [b"\0" + place(at) + text(body) for at, body in [*made.data, *data]]
    kept = [(kind, bytes(body)) for kind, body in made.sections
            if kind not in (CUSTOM, IMPORT, MEMORY, GLOBAL, EXPORT, DATA, DATA_COUNT)]  # fmt: skip
    kept += [
        (IMPORT, vector(imports)),
        (MEMORY, vector([b"\1" + number(pages) + number(pages)])),
        (GLOBAL, vector([bytes([I32, 1]) + place(stack)])),
        (EXPORT, vector(exports)),
        (DATA, vector(segments)),
        *((CUSTOM, text(name) + body) for name, body in notes),
    ]
    return module(kept)


def place(address: int) -> bytes:
    """Return an address as a constant expression in the binary format."""
    return bytes([I32_CONST]) + signed(address) + bytes([END])
