// try.js - try.html: a command, answered by abdb.wasm in a worker of this page. try-wasi.js runs it, try-data.js holds program and database.
"use strict";

// What the worker does: its text is this function's.
function abdbWorker() {
  let module, files;
  self.onmessage = async ({ data }) => {
    try {
      if (data.wasm) module = WebAssembly.compile(data.wasm);
      if (data.files) files = data.files;
      if (data.words) self.postMessage(abdbRun(await module, data.words, files, { ABDB_DB: "abdb.db", ABDB_PATH: "/nonexistent", NO_COLOR: "1" }));
    } catch (problem) {
      self.postMessage({ broken: String(problem) });
    }
  };
}

let abdbTry; // what try-data.js calls
(() => {
  const $ = (id) => document.getElementById(id);
  const DATABASE = "abdb.db", FORBIDDEN = "This host forbids it: its Content-Security-Policy must allow 'wasm-unsafe-eval' in script-src and blob: in worker-src."
    + " A copy of this folder on your disk works without a host.";
  let worker = null, loaded = null, program = null, waiting = null, busy = false;
  const say = (words) => { $("state").textContent = words; };
  document.addEventListener("securitypolicyviolation", () => stop(FORBIDDEN));

  const unpack = async (text) => {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  };
  // The program and the database, once; a script element works from a folder, too, where nothing else may be loaded.
  const load = () => {
    loaded ??= new Promise((done, fail) => {
      const script = document.createElement("script");
      abdbTry = (data) => Promise.all([unpack(data.wasm), unpack(data.database)]).then(([wasm, database]) => {
        program = { wasm, files: program?.files ?? { [DATABASE]: database } };
        done();
      }, fail);
      script.src = "try-data.js";
      script.onerror = () => fail(new Error("try-data.js, which belongs beside this page, cannot be loaded"));
      document.head.append(script);
    });
    return loaded;
  };
  const start = () => {
    if (worker) return;
    const text = `"use strict";${abdbRun}\n(${abdbWorker})();`, url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onerror = () => stop(FORBIDDEN);
    worker.onmessage = ({ data }) => waiting?.(data);
    worker.postMessage(program);
    URL.revokeObjectURL(url);
  };
  // Ends what runs; the next command begins with a new worker.
  const stop = (words) => {
    worker?.terminate();
    worker = null;
    waiting?.({ stopped: words });
  };

  // Words as a shell reads them: quotes keep blanks together. null: a quote is open.
  const shellWords = (line) => {
    const words = [];
    let word = null, quote = "";
    for (let i = 0; i < line.length; i++) {
      const c = line[i];
      if (quote) {
        if (c === quote) quote = "";
        else word += c === "\\" && quote === '"' && '"\\$`'.includes(line[i + 1]) ? line[++i] : c;
      } else if (c === "'" || c === '"') {
        quote = c;
        word ??= "";
      } else if (/\s/.test(c)) {
        if (word !== null) words.push(word);
        word = null;
      } else word = (word ?? "") + (c === "\\" && i + 1 < line.length ? line[++i] : c);
    }
    if (word !== null) words.push(word);
    return quote ? null : words;
  };

  // Of a page that abdb wrote only texts are taken: its tables and paragraphs are made anew.
  const KEPT = new Set(["TABLE", "CAPTION", "THEAD", "TBODY", "TR", "TH", "TD", "P", "UL", "LI", "H1", "H2"]);
  const copied = (from) => {
    const to = document.createElement(from.tagName);
    if (from.className === "n") to.className = "n";
    if (from.tagName === "TH") to.scope = "col";
    for (const child of from.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) to.append(child.data);
      else if (KEPT.has(child.tagName)) to.append(copied(child));
      else to.append(child.textContent);
    }
    return to;
  };
  const asText = (text) => {
    const block = document.createElement("pre");
    block.textContent = text;
    return block;
  };
  const ask = (words) => new Promise((done) => {
    waiting = done;
    start();
    worker.postMessage({ words });
  });
  const TABLED = ["query", "compare", "rank", "choose", "audit", "why"];
  const FORMATS = /^(-o|--format|--json|-h|--help|--sql|--schema|--functions|--search)/;

  const run = async (line) => {
    const words = shellWords(line);
    if (busy) return; // one at a time
    if (!words) return say("A quote is open.");
    busy = true;
    if (words[0] === "abdb") words.shift();
    $("stop").disabled = false;
    const begun = performance.now();
    try {
      say(program?.wasm ? "Running…" : "Loading program and database…");
      await load();
      say("Running…");
      const wanted = $("tables").checked && TABLED.includes(words[0]) && words.length > 1 && !words.some((word) => FORMATS.test(word));
      const answer = await ask(["abdb", ...words, ...(wanted ? ["-o", "html"] : [])]);
      const text = (bytes) => new TextDecoder().decode(bytes);
      if (answer.stopped) say(answer.stopped);
      else if (answer.broken) say(/CSP|Content Security|unsafe-eval|disallowed by embedder/i.test(answer.broken) ? FORBIDDEN : `abdb.wasm ended: ${answer.broken}`);
      else {
        const out = text(answer.out), page = wanted && answer.code === 0 ? new DOMParser().parseFromString(out.replace(/<style>[^<]*<\/style>/, ""), "text/html").body : null;
        $("answer").replaceChildren(...(page ? Array.from(page.children).filter((e) => KEPT.has(e.tagName)).map(copied) : out ? [asText(out)] : []),
          ...(answer.err.length ? [asText(text(answer.err))] : []));
        say(`Exit code ${answer.code}, ${((performance.now() - begun) / 1000).toFixed(2)} s.`);
      }
    } catch (problem) {
      if (!program?.wasm) loaded = null; // tried again at the next command
      say(problem.name === "SecurityError" ? FORBIDDEN : problem.message);
    } finally {
      waiting = null;
      busy = false;
      $("stop").disabled = true;
    }
  };

  const fromAddress = () => {
    let line;
    try { line = decodeURIComponent(location.hash.slice(1)); } catch { return say("The address holds no command."); }
    if (!line) return;
    $("words").value = line;
    run(line);
  };
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    const hash = `#${encodeURIComponent($("words").value)}`;
    if (location.hash === hash) fromAddress();
    else location.hash = hash;
  });
  $("stop").addEventListener("click", () => stop("Stopped."));
  $("own").addEventListener("change", async () => {
    const file = $("own").files[0];
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (new TextDecoder().decode(bytes.subarray(0, 15)) !== "SQLite format 3") return say(`${file.name} is no database of SQLite.`);
    program = { ...program, files: { [DATABASE]: bytes } };
    stop("Stopped.");
    say(`${file.name} answers from now on.`);
  });
  addEventListener("hashchange", fromAddress);
  $("words").placeholder = "abdb query specs";
  fromAddress();
})();
