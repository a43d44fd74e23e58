"""Changes copies of a signed bundle, and wants `abdb verify --signed-by` to name each change.

    mutate_bundle.py BUNDLE SIGNERS [COUNT [SEED]]    exits with 1 if a change is not named

A value, the order of rows, a key, a row or the caption is changed in NAME.json, in NAME.csv, in the text for Markdown or LaTeX, or in the
picture. Of every two changes one is a forger's: the digests that NAME.json holds are made right, so that the signature alone gives it away.
"""
import csv
import hashlib
import io
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Bundle:
    """A copy of a bundle, changed by one of the methods below: each returns the file, the change and the row that must be named."""

    def __init__(self, folder, rng):
        self.folder, self.rng = folder, rng
        self.json_path = next(folder.glob("*.json"))
        self.name = self.json_path.stem
        self.said = json.loads(self.json_path.read_text())

    def path(self, suffix):
        return self.folder / f"{self.name}.{suffix}"

    def store(self, forged):
        """Writes NAME.json; forged: with the digests that fit."""
        if forged:
            table = {part: self.said[part] for part in ("columns", "rows", "keys")}
            self.said["data"] = sha(json.dumps(table, separators=(",", ":")).encode())
            for file in self.said["files"]:
                self.said["files"][file] = sha((self.folder / file).read_bytes())
        self.json_path.write_text(json.dumps(self.said, separators=(",", ":")) + "\n")

    def lines(self, change=None):
        """The lines of the CSV, changed."""
        lines = self.path("csv").read_text().splitlines(keepends=True)
        if change:
            change(lines)
            self.path("csv").write_text("".join(lines))
        return lines

    def some_row(self):
        return self.rng.randrange(len(self.said["rows"]))

    def two_rows(self):
        return sorted(self.rng.sample(range(len(self.said["rows"])), 2))

    def other_value(self, text):
        return str(float(text) + self.rng.randrange(1, 9)) if text and text.replace(".", "").isdigit() else f"{text}{self.rng.randrange(10)}"

    def value_in_json(self):
        i = self.some_row()
        row = self.said["rows"][i]
        place = self.rng.randrange(len(row))
        row[place] = self.other_value(row[place])
        return "json", "signed with another value", f"row {i + 1}"

    def value_in_csv(self):
        i = self.some_row() + 1

        def change(lines):
            cells = next(csv.reader([lines[i]]))
            place = self.rng.randrange(len(cells))
            cells[place] = self.other_value(cells[place])
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerow(cells)
            lines[i] = out.getvalue()
        self.lines(change)
        return "csv", "signed with another value", f"line {i + 1}"

    def order_in_json(self):
        i, j = self.two_rows()
        for part in ("rows", "keys"):
            rows = self.said[part]
            rows[i], rows[j] = rows[j], rows[i]
        return "json", "signed in another order", None

    def order_in_csv(self):
        i, j = self.two_rows()

        def change(lines):
            lines[i + 1], lines[j + 1] = lines[j + 1], lines[i + 1]
        self.lines(change)
        return "csv", "signed in another order", None

    def key(self):
        i = self.some_row()
        keys = self.said["keys"][i]
        place = self.rng.choice([n for n, digit in enumerate(keys) if digit in "0123456789abcdef"])
        self.said["keys"][i] = keys[:place] + format(int(keys[place], 16) ^ 1, "x") + keys[place + 1:]
        return "json", "signed with another key", f"row {i + 1}"

    def keys_exchanged(self):
        i, j = self.two_rows()
        keys = self.said["keys"]
        keys[i], keys[j] = keys[j], keys[i]
        return "json", "signed with another value", None # what each key states now

    def row_dropped_from_json(self):
        i = self.some_row()
        del self.said["rows"][i], self.said["keys"][i]
        return "json", "signed with a row that is missing", f"row {i + 1}"

    def row_dropped_from_csv(self):
        i = self.some_row() + 1

        def change(lines):
            del lines[i]
        self.lines(change)
        return "csv", "signed with a row that is missing", f"line {i + 1}"

    def caption_in_json(self):
        notes = self.said["notes"]
        i = self.rng.randrange(len(notes))
        notes[i] = self.rng.choice([notes[i] + " Official result.", notes[i].upper(), ""])
        return "json", "signed with another caption", None

    def title_in_json(self):
        self.said["look"]["title"] = "The best"
        return "json", "signed with another caption", None

    def caption_in_text(self):
        suffix = self.rng.choice(["md", "tex"])
        lines = self.path(suffix).read_text().splitlines(keepends=True)
        i = self.rng.choice([n for n, line in enumerate(lines) if line.strip()])
        lines[i] = self.rng.choice(["", "Verified by nobody.\n" + lines[i], lines[i].rstrip("\n") + " \n"])
        self.path(suffix).write_text("".join(lines))
        return suffix, "signed with another caption or sources", None

    def picture(self):
        suffix = self.rng.choice(["svg", "png", "pdf"])
        data = bytearray(self.path(suffix).read_bytes())
        data[self.rng.randrange(len(data))] ^= 1
        self.path(suffix).write_bytes(data)
        return suffix, "signed with another picture", None

    def question(self):
        self.said["parameters"]["round"] = "v5.1"
        return "json", "signed with other parameters", None


CHANGES = [Bundle.value_in_json, Bundle.value_in_csv, Bundle.order_in_json, Bundle.order_in_csv, Bundle.key, Bundle.keys_exchanged,
           Bundle.row_dropped_from_json, Bundle.row_dropped_from_csv, Bundle.caption_in_json, Bundle.title_in_json, Bundle.caption_in_text,
           Bundle.picture, Bundle.question]


def verify(folder, signers):
    """The exit code of `abdb verify`, and the changes that it names."""
    done = subprocess.run(["abdb", "verify", folder, "--signed-by", signers, "-o", "csv"], capture_output=True, text=True, check=False)
    return done.returncode, list(csv.DictReader(done.stdout.splitlines()))


def main(source, signers, count=100, seed=1):
    rng, named = random.Random(int(seed)), 0
    assert verify(source, signers)[0] == 0, "the bundle does not hold as it is"
    for n in range(int(count)):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place) / "post"
            shutil.copytree(source, folder)
            bundle = Bundle(folder, rng)
            change = CHANGES[n % len(CHANGES)]
            suffix, words, row = change(bundle)
            bundle.store(forged=n % 2)
            code, rows = verify(folder, signers)
            # CSV and text are named by their own file, what NAME.json records by that of the bundle
            found = any(r["change"] == words and (row is None or r["row"] == row) for r in rows)
            file_named = any(r["file"] == f"{bundle.name}.{suffix}" for r in rows)
            if code == 4 and found and file_named:
                named += 1
            else:
                print(f"{n}: {change.__name__} ({suffix}, {words}, {row}): {code}, {rows}")
    print(f"{named} of {count} named")
    return 0 if named == int(count) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
