// explore-data.js - the results of explore.html out of its JSON: rows with their factors by name. Texts were written by others:
// they reach the page by textContent and setAttribute alone, and addresses of this site only.
"use strict";
const abdb = {};
{
  const data = JSON.parse(document.getElementById("data").textContent) ?? { columns: [], rows: [], factors: [], offers: [], rules: [] };
  const sources = JSON.parse(document.getElementById("sources").textContent);
  const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
  const why = (i) => (i === null ? null : data.whys[i]);

  // A factor is [name, text or null where it is unknown, 1 where a difference in it is said].
  const row = (line) => {
    const cell = (name) => line[at[name]], units = data.units[cell("units")], factors = Object.create(null);
    for (const i of cell("factors")) factors[data.factors[i][0]] = data.factors[i];
    const known = (name) => factors[name]?.[1] ?? "";
    const [repository, retrieved, date, sure, file] = data.places[cell("place")];
    return {
      key: cell("key"), part: cell("part"), factors, known, better: cell("better"), needs: why(cell("needs")), id: cell("public_id") ?? "",
      sure, file, verifiedAs: ["not verified", "stated as verified by its file", "stated as verified by its file", "verified"][sure],
      repository, retrieved, date, wattFacts: cell("watt_facts"),
      what: known("model") || known("workload"), devices: Number(known("devices")) || null,
      suite: known("evidence") === "mlperf" ? `MLPerf® ${known("suite")}` : known("evidence"),
      none: { value: cell("value"), why: why(cell("why")), unit: units[0] },
      device: { value: cell("device"), why: why(cell("device_why")), unit: units[1] },
      watt: { value: cell("watt"), why: why(cell("watt_why")), unit: units[2] },
      dollar: { value: cell("dollar"), why: why(cell("device_why")), unit: units[3] },
      million: { value: cell("million"), why: why(cell("device_why")), unit: units[4] },
    };
  };
  abdb.rows = data.rows.map(row);
  abdb.byKey = new Map(abdb.rows.map((r) => [r.key, r]));
  abdb.parts = data.parts;
  abdb.rounds = data.rounds;
  abdb.formulas = data.formulas;
  abdb.left = data.left;
  abdb.offers = data.offers.map(([device, price, provider, kind, date, key, source, size]) => ({ device, price, provider, kind, date, key, source, size }));
  abdb.rules = data.rules.map(([rule, effect, scopeFactor, scopeValue, factor, test, a, b, sentence, source, locator]) =>
    ({ rule, effect, scopeFactor, scopeValue, factor, test, a, b, sentence, source, locator }));

  // Where a fact stands: page and anchor; null: its source has no page.
  abdb.place = (source, key) => (Object.hasOwn(sources, source) ? `${sources[source][0]}#${key}` : null);
  abdb.source = (name) => {
    const [, title, author, published, url] = Object.hasOwn(sources, name) ? sources[name] : [];
    return { title: title ?? "", author: author ?? "", published: published ?? "", url: /^https?:\/\//.test(url) ? url : "" };
  };
}
