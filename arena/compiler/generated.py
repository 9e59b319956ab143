"""The `__init__` of dataclasses, which Python generates, as syntax trees."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import linecache
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from arena.compiler.errors import CannotCompile
from arena.module_files import parse

GENERATED = "<string>"  # the file of generated functions, as they state it


@dataclasses.dataclass
class Example:
    items: list[int] = dataclasses.field(default_factory=list)


ABSENT: Any = inspect.signature(Example).parameters["items"].default  # the default of such parameters


def is_generated(function: FunctionType) -> bool:
    """Return whether a function may be one that `dataclass` has generated."""
    return function.__code__.co_filename == GENERATED


def file_of(function: FunctionType) -> str:
    """Return the file that determines a function: for a generated one that of its module."""
    if not is_generated(function):
        return function.__code__.co_filename
    return str(getattr(sys.modules.get(function.__module__), "__file__", None) or GENERATED)


@functools.cache
def generated_init(cls: type) -> ast.FunctionDef:
    """Return the `__init__` of a dataclass as a tree, the same object each time.

    Its parameters have no defaults, which are those of the function. A default factory is called where its
    parameter has the value by which the function knows that it is not given.
    """
    init: Any = vars(cls)["__init__"]
    file, line = file_of(init), line_of(cls)
    parameters = list(inspect.signature(init).parameters.values())[1:]
    fields = {field.name: field for field in dataclasses.fields(cls)}
    if any(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters):
        raise CannotCompile(f"{cls.__name__} has keyword-only fields, which do not compile", file, line)
    if any(parameter.name not in fields for parameter in parameters):
        raise CannotCompile(f"{cls.__name__} has an InitVar, which does not compile", file, line)
    tree = ast.parse("def __init__(self): pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    for parameter in parameters:
        is_float = fields[parameter.name].type in (float, "float")
        annotation = ast.Name("float", ast.Load()) if is_float else None
        tree.args.args.append(ast.arg(parameter.name, annotation))
    tree.body = [ast.Pass(), *(assignment(cls, field) for field in fields.values() if has_value(field))]
    if hasattr(cls, "__post_init__"):
        tree.body += ast.parse("self.__post_init__()").body
    for part in ast.walk(tree):
        if isinstance(part, ast.expr | ast.stmt | ast.arg):
            part.lineno, part.col_offset = line, 0
            part.end_lineno, part.end_col_offset = line, 0
    return tree


def has_value(field: dataclasses.Field[Any]) -> bool:
    """Return whether `__init__` sets a field."""
    missing = dataclasses.MISSING
    return field.init or field.default is not missing or field.default_factory is not missing


def assignment(cls: type, field: dataclasses.Field[Any]) -> ast.stmt:
    """Return the statement that sets a field."""
    given: ast.expr = ast.Name(field.name, ast.Load())
    if not field.init and field.default is not dataclasses.MISSING:
        given = ast.Constant(field.default)
    if field.default_factory is not dataclasses.MISSING:
        made = factory_call(cls, field)
        if field.init:
            test = ast.Compare(given, [ast.Is()], [ast.Constant(ABSENT)])
            given = ast.IfExp(test, made, given)
        else:
            given = made
    target = ast.Attribute(ast.Name("self", ast.Load()), field.name, ast.Store())
    return ast.Assign([target], given)


def factory_call(cls: type, field: dataclasses.Field[Any]) -> ast.expr:
    """Return the call of a default factory; of a lambda, what it returns."""
    factory: Any = field.default_factory
    if not isinstance(factory, FunctionType):
        return ast.Call(ast.Constant(factory), [], [])
    names, called = {one.name for one in dataclasses.fields(cls)} | {"self"}, str(factory.__name__)
    if factory.__globals__.get(called) is factory and called not in names:
        return ast.Call(ast.Name(called, ast.Load()), [], [])
    for node in definitions_of(cls):
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == field.name:
                found = [one for one in ast.walk(part) if isinstance(one, ast.Lambda)]
                body = ast.parse(ast.unparse(found[0].body), mode="eval").body if len(found) == 1 else None
                if body and not any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(body)):
                    return body
    text = f"the default factory of {cls.__name__}.{field.name} does not compile"
    raise CannotCompile(text, file_of(vars(cls)["__init__"]), line_of(cls))


def definitions_of(cls: type) -> Iterator[ast.ClassDef]:
    """Yield the nodes of a class and of its bases, as far as they can be found."""
    for base in cls.__mro__[:-1]:
        file = getattr(sys.modules.get(base.__module__), "__file__", None)
        nodes = ast.walk(parse("".join(linecache.getlines(file)))) if file else ()
        found = [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == base.__name__]
        if len(found) == 1:
            yield found[0]


def line_of(cls: type) -> int:
    """Return the line of a class; 0 if it is not known."""
    return next((node.lineno for node in definitions_of(cls) if node.name == cls.__name__), 0)
