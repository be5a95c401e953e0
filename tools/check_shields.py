"""Find shields that nothing bounds: a store that is gone would hang them for ever.

A scope that shields must be given its deadline where it is made, or say in a comment
on its line, ``# deadline: ...``, who sets it.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SCOPES = {"CancelScope", "fail_after", "move_on_after"}
EXCUSE = "# deadline: "


def main(paths: list[str]) -> int:
    """Print each unbounded shield under these folders; return 1 if there is one."""
    files = [file for path in paths for file in sorted(Path(path).rglob("*.py"))]
    found = [f"{file}:{line}" for file in files for line in unbounded(file.read_text())]
    for place in found:
        print(f"{place}: a shield without a deadline")
    return 1 if found else 0


def unbounded(source: str) -> Iterator[int]:
    """Yield the lines of a source text where a shield has no deadline."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            shields = _opens_unbounded(node)
        elif isinstance(node, ast.Assign):
            shields = _switches_on(node)
        else:
            continue
        if shields and EXCUSE not in lines[node.lineno - 1]:
            yield node.lineno


def _switches_on(node: ast.Assign) -> bool:
    target = node.targets[0]
    is_shield = isinstance(target, ast.Attribute) and target.attr == "shield"
    return is_shield and _may_be_true(node.value)


def _opens_unbounded(call: ast.Call) -> bool:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    name = ast.unparse(call.func).rpartition(".")[2]
    if name not in SCOPES or not _may_be_true(keywords.get("shield")):
        return False
    limits = [*call.args, keywords.get("deadline"), keywords.get("delay")]
    return not any(_bounds(limit) for limit in limits)


def _may_be_true(value: ast.expr | None) -> bool:
    return value is not None and not (
        isinstance(value, ast.Constant) and value.value is False
    )


def _bounds(limit: ast.expr | None) -> bool:
    return limit is not None and ast.unparse(limit) not in {"None", "inf", "math.inf"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
