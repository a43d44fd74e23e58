#!/usr/bin/env python3
"""pack_archive.py FORMAT OUT FOLDER - the files of a folder as an archive, its hard links too; for archives.bats.

FORMAT: tar (each link with its bytes), links (GNU tar with hard links), pax, v7, flagged and unflagged (zip, names marked as UTF-8 or
not), 7z and newc (by libarchive, which abdb needs anyway)."""
import ctypes
import ctypes.util
import os
import stat
import sys
import tarfile
import zipfile


def files(folder):
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(parent, n) for n in sorted(names))


def pack_tar(out, folder, form, links):
    with tarfile.open(out, "w", format=form) as t:
        for path in files(folder):
            if not links:
                t.inodes.clear()
            t.add(path)


class Unflagged(zipfile.ZipInfo):
    def _encodeFilenameFlags(self):
        return self.filename.encode(), self.flag_bits


def pack_zip(out, folder, kind):
    with zipfile.ZipFile(out, "w") as z:
        for path in files(folder):
            info = kind(path, (2024, 1, 1, 0, 0, 0))
            info.external_attr = os.lstat(path).st_mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            link = stat.S_ISLNK(os.lstat(path).st_mode)
            z.writestr(info, os.readlink(path) if link else open(path, "rb").read())


def pack_by_libarchive(out, folder, form):
    lib = ctypes.CDLL(ctypes.util.find_library("archive") or "libarchive.so.13")
    lib.archive_write_new.restype = lib.archive_entry_new.restype = ctypes.c_void_p
    lib.archive_error_string.restype = ctypes.c_char_p
    ctypes.CDLL(None).setlocale(0, b"C.UTF-8")  # names of 7z pass through the locale
    a = ctypes.c_void_p(lib.archive_write_new())
    seen = {}

    def must(code):
        if code < 0:
            sys.exit(f"{out}: {lib.archive_error_string(a).decode()}")

    must(lib.archive_write_set_format_7zip(a) if form == "7z" else lib.archive_write_set_format_cpio_newc(a))
    must(lib.archive_write_open_filename(a, out.encode()))
    paths = list(files(folder))
    last = {os.lstat(p).st_ino: p for p in paths}
    for path in paths:
        info = os.lstat(path)
        link = stat.S_ISLNK(info.st_mode)
        data = b"" if link else open(path, "rb").read()
        if form == "newc" and last[info.st_ino] != path:
            data = b""  # of several names the last has the bytes
        e = ctypes.c_void_p(lib.archive_entry_new())
        lib.archive_entry_set_pathname(e, path.encode())
        lib.archive_entry_set_mode(e, ctypes.c_uint(info.st_mode))
        lib.archive_entry_set_size(e, ctypes.c_int64(len(data)))
        lib.archive_entry_set_ino(e, ctypes.c_int64(info.st_ino))
        lib.archive_entry_set_nlink(e, ctypes.c_uint(info.st_nlink))
        if link:
            lib.archive_entry_set_symlink(e, os.readlink(path).encode())
        must(lib.archive_write_header(a, e))
        must(lib.archive_write_data(a, data, ctypes.c_size_t(len(data))))
        lib.archive_entry_free(e)
        seen[info.st_ino] = path
    must(lib.archive_write_close(a))


def main():
    form, out, folder = sys.argv[1:]
    if form in ("7z", "newc"):
        pack_by_libarchive(out, folder, form)
    elif form in ("flagged", "unflagged"):
        pack_zip(out, folder, Unflagged if form == "unflagged" else zipfile.ZipInfo)
    else:
        pack_tar(out, folder, tarfile.PAX_FORMAT if form == "pax" else tarfile.GNU_FORMAT, form != "tar")
        if form == "v7":  # without its mark, as tar was before 1988
            data = bytearray(open(out, "rb").read())
            with tarfile.open(out) as t:
                for m in t:
                    data[m.offset + 257:m.offset + 512] = bytes(255)
                    data[m.offset + 148:m.offset + 156] = b" " * 8
                    data[m.offset + 148:m.offset + 156] = b"%06o\0 " % sum(data[m.offset:m.offset + 512])
            open(out, "wb").write(data)


main()
