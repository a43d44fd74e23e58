#!/usr/bin/env python3
"""hostile_server.py - a server that speaks PostgreSQL's protocol 3 as far as a warehouse of abdb wants it, with the rows of the database HELD, and breaks
it in the way that the connection names as its database. `hostile_server.py HELD FOLDER` listens on FOLDER/.s.PGSQL.5432 until it is ended."""
import os
import re
import socket
import sqlite3
import struct
import sys
import threading
import time

held_path, folder = sys.argv[1:]
escape = b"\x1b]0;owned\x07\x1b[2J\r\n\xe2\x80\xae"


class Gone(Exception):
    """The other end is."""


def word(value):
    return "\\N" if value is None else str(value).translate({92: "\\\\", 9: "\\t", 10: "\\n", 13: "\\r"})


class Session:
    def __init__(self, connection):
        self.socket, self.way, self.state, self.held = connection, "", b"I", sqlite3.connect(held_path)

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise Gone
            data += more
        return data

    def send(self, kind, body=b"", length=None):
        self.socket.sendall(kind + struct.pack("!I", 4 + len(body) if length is None else length) + body)

    def flood(self, kind, body):
        chunk = (kind + struct.pack("!I", 4 + len(body)) + body) * max(1, 65536 // (5 + len(body)))
        while True:
            self.socket.sendall(chunk)

    def ready(self):
        if self.way != "never-ready":
            self.send(b"Z", self.state)

    def error(self, text):
        self.send(b"E", b"SERROR\0C58000\0M" + text + b"\0\0")

    def done(self, tag):
        self.send(b"C", tag.encode() + b"\0")

    def describe(self, columns):
        self.send(b"T", struct.pack("!h", columns) + b"".join(b"c%d\0" % i + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0) for i in range(columns)))

    def row(self, values):
        self.send(b"D", struct.pack("!h", len(values)) + b"".join(struct.pack("!i", -1) if v is None else struct.pack("!i", len(v)) + v for v in values))

    def start(self):
        """Until the connection is there; the way is the name of the database."""
        while True:
            size, code = struct.unpack("!II", self.read(8))
            body = self.read(size - 8)
            if code in (80877103, 80877104):
                self.socket.sendall(b"N")
            else:
                break
        words = body.split(b"\0")
        self.way = dict(zip(words[::2], words[1::2])).get(b"database", b"").decode()
        if self.way == "mute":
            time.sleep(600)
        if self.way in ("refuses", "giant"):
            self.error(escape + b"x" * (10000000 if self.way == "giant" else 100))
            raise Gone
        self.send(b"R", struct.pack("!I", 99 if self.way == "auth" else 0))
        if self.way == "parameters":
            for i in range(1 << 60):
                self.send(b"S", b"p%d\0" % i + b"x" * 20000 + b"\0")
        version = {"old": b"9.6", "nonsense": b"x" * 1000}.get(self.way, b"15.4")
        for name, value in ((b"server_version", version), (b"client_encoding", b"UTF8"), (b"standard_conforming_strings", b"on")):
            self.send(b"S", name + b"\0" + value + b"\0")
        self.ready()

    def answer(self, values):
        """A SELECT that gives one row, as the way has it."""
        way = self.way
        if way == "silent":
            time.sleep(600)
        if way == "rows":
            self.describe(1)
            self.flood(b"D", struct.pack("!hi", 1, 10000) + b"7" * 10000)
        if way == "notices":
            self.flood(b"N", b"SNOTICE\0C00000\0M" + escape + b"\0\0")
        if way == "notifies":
            self.flood(b"A", struct.pack("!I", 1) + b"c\0" + b"x" * 20000 + b"\0")
        if way == "length":
            self.describe(1)
            self.send(b"D", length=0x7FFFFFFF)
            self.flood(b"D", b"x" * 60000)
        if way == "negative":
            self.describe(1)
            self.send(b"D", length=0xFFFFFFF0)
        if way == "unknown":
            self.send(b"?", b"what")
        if way == "garbage":
            self.socket.sendall(os.urandom(100000))
            time.sleep(600)
        if way == "closes":
            raise Gone
        values = {"null": [None], "text": [b"many"], "nul": [b"7\0008"], "wide": values * 3, "narrow": []}.get(way, values)
        self.describe(len(values) if way != "mismatch" else 3)
        self.row(values)
        self.done("SELECT 1")

    def copy_out(self, sql):
        way, columns = self.way, re.findall(r't\."(\w+)"', sql)
        table = re.search(r'FROM abdb\."(\w+)" t', sql)[1]
        rows = [] if table == "sample_row" else [tuple(map(word, row)) for row in self.held.execute(f"SELECT {', '.join(columns)} FROM {table}")]
        lines = ["\t".join(row).encode() + b"\n" for row in rows]
        self.send(b"H", struct.pack("!bh", 0, len(columns)) + b"\0\0" * len(columns))
        count = len(lines)
        if table == "description":
            if way == "copy-rows":
                while True:
                    for line in lines:
                        self.flood(b"d", line)
            lines = {
                "copy-narrow": [line.split(b"\t", 1)[1] for line in lines],
                "copy-wide": [b"1\t" + line for line in lines],
                "copy-text": [b"x" + line for line in lines],
                "copy-null": [b"\\N\t" * (len(columns) - 1) + b"\\N\n" for line in lines],
                "copy-bytes": [line[:-1] + b"\xff\n" for line in lines],
                "copy-nul": [line[:-1] + b"\0\n" for line in lines],
                "copy-two": [b"".join(lines[:2])],
                "copy-none": [line[:-1] for line in lines],
                "copy-end": [b"\\.\tok\t1\n" + line for line in lines],
                "copy-less": lines[:-1],
            }.get(way, lines)
        for i, line in enumerate(lines):
            if table == "description" and i == 1:
                if way == "copy-error":
                    self.error(escape + b"the disk is gone")
                    return
                if way == "copy-silent":
                    time.sleep(600)
                if way == "copy-length":
                    self.send(b"d", length=0x7FFFFFFF)
                    self.flood(b"d", b"x" * 60000)
                if way == "copy-closes":
                    raise Gone
            self.send(b"d", line)
        if way == "copy-open" and table == "description":
            self.flood(b"N", b"SNOTICE\0C00000\0Mx\0\0")
        self.send(b"c")
        self.done(f"COPY {count}")

    def copy_in(self, sql):
        if self.way == "deaf":
            time.sleep(600)
        self.send(b"G", struct.pack("!bh", 0, 0))
        count = 0
        while True:
            kind, size = struct.unpack("!cI", self.read(5))
            body = self.read(size - 4)
            if kind in b"cf":
                break
            count += body.count(b"\n")
        if self.way == "full":
            return self.error(b"no space left on device " + escape)
        return self.done(f"COPY {count}")

    def run(self, sql):
        """One statement, or several of which nobody wants the rows."""
        first = sql.lstrip().split()[0].upper()
        if self.way == "copies":
            self.send(b"W", struct.pack("!bh", 0, 0))
        elif sql.startswith("COPY (SELECT t."):
            self.copy_out(sql)
        elif sql.startswith("COPY ("):
            self.send(b"H", struct.pack("!bh", 0, 1) + b"\0\0")
            self.send(b"c")
            self.done("COPY 0")
        elif first == "COPY":
            self.copy_in(sql)
        elif first == "BEGIN":
            self.state = {"no-begin": b"I", "failed": b"E"}.get(self.way, b"T")
            self.done("BEGIN")
        elif first == "COMMIT":
            self.state = b"T" if self.way == "open" else b"I"
            self.done("ROLLBACK" if self.way == "rollback" else "COMMIT")
        elif first == "SELECT" and "attname" in sql and "indisprimary" in sql:
            self.answer([b"source"])
        elif first == "SELECT" and "has_schema_privilege" in sql:  # rights: no schema of that name yet
            self.describe(8)
            self.done("SELECT 0")
        elif first == "SELECT":
            self.answer([b"7" if re.search("pg_tables|abdb.warehouse|pg_temp.wanted", sql) else b"0"])
        elif first == "INSERT" and "RETURNING" in sql:
            self.describe(1)
            for _ in range(100000 if self.way == "added" else 0):
                self.row([b"7"])
            self.done("INSERT 0 0")
        else:
            self.done(first)

    def serve(self):
        self.start()
        sql = ""
        while True:
            kind, size = struct.unpack("!cI", self.read(5))
            body = self.read(size - 4)
            if kind == b"X":
                raise Gone
            if kind == b"Q":
                self.run(body[:-1].decode())
                self.ready()
            if kind == b"P":
                sql = body.split(b"\0")[1].decode()
                self.send(b"1")
            if kind == b"B":
                self.send(b"2")
            if kind == b"E":
                self.run(sql)
            if kind == b"S":
                self.ready()


def attend(connection):
    try:
        Session(connection).serve()
    except (Gone, OSError, struct.error):
        pass
    connection.close()


listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.join(folder, ".s.PGSQL.5432"))
listener.listen(8)
while True:
    threading.Thread(target=attend, args=(listener.accept()[0],), daemon=True).start()
