// try-wasi.js - what abdb.wasm asks of its system (WASI preview 1), for try.js and for node: words, clock, random numbers, files that are bytes in memory.
"use strict";

// Runs one command in a fresh instance of the module. files: their bytes by name; all stand in one folder and cannot be changed.
// Returns the exit code and what went to standard output and standard error, as bytes.
function abdbRun(module, words, files, environment) {
  const OK = 0, BADF = 8, INVAL = 28, NOENT = 44, NOSYS = 52, ROFS = 69, NOTSUP = 58;
  const FOLDER = 3, REGULAR = 4, STREAM = 6, ROOT = 3, WRITES = 64n; // file types, the folder's number, the right to write
  const bytes = (text) => new TextEncoder().encode(`${text}\0`);
  const lists = { args: words.map(bytes), environ: Object.entries(environment ?? {}).map(([name, value]) => bytes(`${name}=${value}`)) };
  const open = new Map(), written = { 1: [], 2: [] };
  let memory, next = ROOT + 1;
  const view = () => new DataView(memory.buffer), at = (start, size) => new Uint8Array(memory.buffer, start, size);
  const name = (start, size) => new TextDecoder().decode(at(start, size)).replace(/^(\.?\/)+/, "");
  const has = (file) => Object.hasOwn(files, file);

  const sizes = (list) => (count, size) => {
    view().setUint32(count, list.length, true);
    view().setUint32(size, list.reduce((sum, one) => sum + one.length, 0), true);
    return OK;
  };
  const fill = (list) => (pointers, start) => {
    for (const one of list) {
      view().setUint32(pointers, start, true);
      at(start, one.length).set(one);
      pointers += 4;
      start += one.length;
    }
    return OK;
  };
  const stat = (out, type, size) => {
    at(out, 64).fill(0);
    view().setUint8(out + 16, type);
    view().setBigUint64(out + 24, 1n, true);
    view().setBigUint64(out + 32, BigInt(size), true);
    return OK;
  };
  const vectors = (start, count) => Array.from({ length: count }, (_, i) => at(view().getUint32(start + 8 * i, true), view().getUint32(start + 8 * i + 4, true)));
  // Copies from a place of a file into the pieces of memory; says how much.
  const read = (data, place, start, count, out) => {
    let done = 0;
    for (const piece of vectors(start, count)) {
      const part = data.subarray(place + done, place + done + piece.length);
      piece.set(part);
      done += part.length;
    }
    view().setUint32(out, done, true);
    return done;
  };

  const calls = {
    args_sizes_get: sizes(lists.args),
    args_get: fill(lists.args),
    environ_sizes_get: sizes(lists.environ),
    environ_get: fill(lists.environ),
    clock_time_get(clock, precision, out) {
      view().setBigUint64(out, BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)), true);
      return OK;
    },
    random_get(start, size) {
      for (let done = 0; done < size; done += 65536) crypto.getRandomValues(at(start + done, Math.min(65536, size - done)));
      return OK;
    },
    fd_prestat_get(file, out) {
      if (file !== ROOT) return BADF;
      view().setUint32(out, 0, true);
      view().setUint32(out + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(file, start) {
      if (file !== ROOT) return BADF;
      view().setUint8(start, "/".charCodeAt(0));
      return OK;
    },
    fd_fdstat_get(file, out) {
      if (file > ROOT && !open.has(file)) return BADF;
      at(out, 24).fill(0);
      view().setUint8(out, file < ROOT ? STREAM : file === ROOT ? FOLDER : REGULAR);
      view().setBigUint64(out + 8, ~0n & 0x1fffffffn, true);
      view().setBigUint64(out + 16, ~0n & 0x1fffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get: (file, out) => (file < ROOT ? stat(out, STREAM, 0) : file === ROOT ? stat(out, FOLDER, 0) : open.has(file) ? stat(out, REGULAR, open.get(file).data.length) : BADF),
    path_filestat_get(folder, flags, start, size, out) {
      const file = name(start, size);
      if (file === "" || file === ".") return stat(out, FOLDER, 0);
      return has(file) ? stat(out, REGULAR, files[file].length) : NOENT;
    },
    path_open(folder, look, start, size, how, rights, inherited, flags, out) {
      const file = name(start, size);
      if (how & 1 || (rights & WRITES && has(file))) return ROFS;
      if (!has(file)) return NOENT;
      open.set(next, { data: files[file], place: 0 });
      view().setUint32(out, next++, true);
      return OK;
    },
    fd_close: (file) => (open.delete(file) || file <= ROOT ? OK : BADF),
    fd_read(file, start, count, out) {
      const one = open.get(file);
      if (!one && file !== 0) return BADF;
      const done = read(one ? one.data : new Uint8Array(0), one ? one.place : 0, start, count, out);
      if (one) one.place += done;
      return OK;
    },
    fd_pread(file, start, count, place, out) {
      if (!open.has(file)) return BADF;
      read(open.get(file).data, Number(place), start, count, out);
      return OK;
    },
    fd_seek(file, offset, whence, out) {
      const one = open.get(file);
      if (!one) return file < ROOT ? NOTSUP : BADF;
      const place = Number(offset) + (whence === 0 ? 0 : whence === 1 ? one.place : one.data.length);
      if (place < 0) return INVAL;
      one.place = place;
      view().setBigUint64(out, BigInt(place), true);
      return OK;
    },
    fd_write(file, start, count, out) {
      if (!written[file]) return open.has(file) ? ROFS : BADF;
      let done = 0;
      for (const piece of vectors(start, count)) {
        written[file].push(piece.slice());
        done += piece.length;
      }
      view().setUint32(out, done, true);
      return OK;
    },
    proc_exit(code) {
      throw { exit: code };
    },
  };
  // What is not here is answered as a system without it would answer.
  const imports = {};
  for (const one of WebAssembly.Module.imports(module)) imports[one.name] = calls[one.name] ?? (() => NOSYS);
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory;
  let code = 0;
  try {
    instance.exports._start();
  } catch (end) {
    if (end.exit === undefined) throw end;
    code = end.exit;
  }
  const join = (pieces) => {
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let place = 0;
    for (const piece of pieces) {
      whole.set(piece, place);
      place += piece.length;
    }
    return whole;
  };
  return { code, out: join(written[1]), err: join(written[2]) };
}
