"""Runs the code cells of a notebook as Jupyter does, without Jupyter, and prints what each shows, as HTML where it has that.

    run_notebook.py NOTEBOOK    exits with 1 at the first cell that fails, and names it

A notebook of the project stores no output: what a cell shows is of the database that it asks.
"""
import ast
import json
import sys
import traceback


def shown(value):
    for method in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, method):
            return getattr(value, method)()
    return repr(value)


def run_cell(source, names):
    """Executes a cell; returns what its last line shows, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    return None if value is None else shown(value)


def main(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4, "not of format 4"
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells), "two cells have one id"
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, f"cell {number} stores an output"
        print(f"--- cell {number}")
        try:
            value = run_cell("".join(cell["source"]), names)
        except Exception:
            traceback.print_exc()
            print(f"{path}: cell {number} failed", file=sys.stderr)
            return 1
        if value is not None:
            print(value)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
