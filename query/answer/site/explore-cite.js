// explore-cite.js - what is seen as CSV, as a digest and as a citation: the footnotes that MLCommons asks for, in the words of the report
// mlperf-footnotes, and the other sources.
"use strict";
{
  const capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);
  const sorted = (values) => [...new Set(values)].sort();

  const footnote = (group) => {
    const { suite, round, division, sure } = group[0].note;
    const files = new Set(group.map((row) => row.file)), file = files.size === 1 ? [...files][0] : "their files";
    const ids = sorted(group.map((row) => row.id).filter(Boolean)), urls = sorted(group.map((row) => row.repository).filter(Boolean));
    const scenarios = sorted(group.map((row) => row.known("scenario")).filter(Boolean));
    const days = group.filter((row) => row.retrieved).map((row) => row.retrieved.split("/"));
    const first = sorted(days.map((d) => d[0]))[0], last = sorted(days.map((d) => d.at(-1))).at(-1);
    const when = !days.length ? "on a date not recorded" : days.length < group.length ? "on dates recorded for some only"
      : first === last ? first : `between ${first} and ${last}`;
    return `${sure > 1 ? "" : "Unverified "}MLPerf® ${round || "version not recorded"} ${capital(suite || "inference")} ` +
      (division ? `${capital(division)} ` : "") +
      sorted(group.map((row) => row.what)).join(", ") + (scenarios.length ? ` ${scenarios.join(", ")}` : "") +
      (ids.length > 40 ? `, ${ids.length} entries (explain lists them)` : ids.length ? `, entries ${ids.join(", ")}` : ", entry IDs not recorded") +
      `. Retrieved ${when} from ${["a place not recorded", urls[0]][urls.length] ?? "mlcommons.org and the results repositories"}` +
      `. Result ${["not verified by MLCommons Association", `stated as verified by ${file}, not in the official list of its round`,
        `published, list of the round not held; stated as verified by ${file}`, "verified by MLCommons Association"][sure]}.`;
  };

  abdb.cite = (rows) => {
    const groups = new Map(), other = new Set();
    for (const row of rows) {
      if (row.known("evidence") !== "mlperf") {
        other.add(row.known("source"));
        continue;
      }
      row.note = { suite: row.known("suite"), round: row.known("round"), division: row.known("division"), sure: row.sure };
      const key = JSON.stringify([row.note.round, row.known("benchmark"), row.note.division, row.note.sure, row.note.suite]);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    const lines = [...groups.values()].map(footnote).sort().reverse();
    if (groups.size) lines.push("The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United States " +
      "and other countries. All rights reserved. Unauthorized use strictly prohibited. See www.mlcommons.org for more information.");
    for (const name of sorted(other)) {
      const { title, author, published, url } = abdb.source(name);
      lines.push([author, title || name, published, url].filter(Boolean).join(". "));
    }
    return lines;
  };

  // A spreadsheet computes what begins so; a ' before it keeps it text.
  const cell = (value) => {
    if (typeof value === "number") return String(value);
    const text = value === null || value === undefined ? "" : String(value);
    const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };

  abdb.csv = (ranked, state, unit) => {
    const head = ["place", "value", "unit", "formula", "device", "devices", "price_usd_per_device_hour", "price_from", "system", "submitter", "what", "scenario",
      "round", "division", "verified", "public_id", "source", "key"];
    const lines = ranked.map((r, i) => {
      const { row } = r, priced = abdb.isPriced(state.per) ? abdb.pricedOf(r, state) : null;
      return [i + 1, r.value, unit, abdb.pers[state.per].formula ?? "", row.known("device"), row.devices, priced?.price ?? null,
        priced ? (priced.own ? "your own quote" : `${priced.offer.provider} ${priced.offer.kind} ${priced.offer.date ?? "undated"}`) : "",
        ...["system", "submitter"].map(row.known), row.what, ...["scenario", "round", "division", "verified"].map(row.known), row.id, row.known("source"), row.key];
    });
    return [head, ...lines].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  };

  // FNV-1a of 64 bits: whether an answer is the one that an address was made of.
  abdb.digest = (text) => {
    let digest = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text)) digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n);
    return digest.toString(16).padStart(16, "0");
  };

  abdb.save = (name, type, content) => {
    const link = document.createElement("a"), url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
}
