// run_wasm.js - commands in abdb.wasm, one after the other in this process of node: run_wasm.js ABDB.WASM TRY-WASI.JS DATABASE COMMANDS.JSON
// Prints for each an array of exit code, standard output and standard error, a line of JSON each.
"use strict";
const fs = require("node:fs");
const [wasm, wasi, database, commands] = process.argv.slice(2);
globalThis.crypto ??= require("node:crypto").webcrypto;
const abdbRun = new Function(`${fs.readFileSync(wasi, "utf8")}; return abdbRun;`)();
const module_ = new WebAssembly.Module(fs.readFileSync(wasm));
const files = { [require("node:path").basename(database)]: fs.readFileSync(database) };
const environment = { ABDB_DB: process.env.ABDB_DB, ABDB_PATH: "/nonexistent", NO_COLOR: "1" };
for (const words of JSON.parse(fs.readFileSync(commands, "utf8"))) {
  const { code, out, err } = abdbRun(module_, ["abdb", ...words], files, environment);
  console.log(JSON.stringify([code, Buffer.from(out).toString("utf8"), Buffer.from(err).toString("utf8")]));
}
