// explore.js - explore.html: its controls, its state in the address, its tables. What may be chosen follows from the results; what is
// shown is a function of the state, and the state is the part of the address behind #.
"use strict";
{
  const $ = (id) => document.getElementById(id), form = $("choice"), control = (name) => form.elements[name];
  const make = (tag, words, attributes = {}) => {
    const e = document.createElement(tag);
    if (words !== undefined && words !== null) e.textContent = words;
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    return e;
  };
  const link = (words, place) => (place ? make("a", words, { href: place }) : make("span", words));
  const show = (value) => {
    const size = Math.abs(value);
    for (const [factor, prefix] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]])
      if (size >= factor) return (value / factor).toLocaleString("en", { maximumSignificantDigits: 4 }) + ` ${prefix}`;
    return size > 0 && size < 1e-3 ? value.toPrecision(4) : value.toLocaleString("en", { maximumSignificantDigits: size >= 1e4 ? 5 : 4 });
  };
  const ROWS = 100; // of a table, until more are asked for
  const facets = [["suite", (r) => r.suite], ["what", (r) => r.what], ["scenario", (r) => r.known("scenario")], ["metric", (r) => r.known("metric")],
    ["division", (r) => r.known("division")], ["round", (r) => r.known("round")]];
  const ALL = "all", names = { none: "no", "": "none" };
  let state, seen, whole = false;

  // --- the state and the address -------------------------------------------------------------------------------------------------

  const texts = ["suite", "what", "scenario", "metric", "division", "round", "per", "by", "view", "across", "part", "kind", "a", "b"];
  const standard = { per: "device", by: "device", view: "bars", across: "devices", kind: "on-demand" };
  const read = () => {
    const from = new URLSearchParams(location.hash.slice(1)), number = (words) => (Number(words) > 0 && Number.isFinite(Number(words)) ? Number(words) : null);
    const out = { prices: new Map(), hidden: new Set(from.getAll("without")), rate: number(from.get("rate")) };
    for (const name of texts) out[name] = from.get(name) ?? standard[name] ?? null;
    for (const [name, value] of from) if (name.startsWith("price.") && number(value)) out.prices.set(name.slice(6), number(value));
    if (!Object.hasOwn(abdb.pers, out.per)) out.per = standard.per;
    if (!Object.hasOwn(abdb.across, out.across)) out.across = standard.across;
    for (const [name, among] of [["by", ["device", "system", "submitter", "key"]], ["view", ["bars", "points"]]]) if (!among.includes(out[name])) out[name] = standard[name];
    return out;
  };
  const address = () => {
    const to = new URLSearchParams();
    for (const name of texts) if (state[name] !== null && state[name] !== standard[name]) to.append(name, state[name]);
    if (state.rate) to.append("rate", state.rate);
    for (const device of state.hidden) to.append("without", device);
    for (const [device, price] of state.prices) to.append(`price.${device}`, price);
    return `#${to}`;
  };
  // A choice is a step back; what is typed replaces the step until it is done.
  const remember = (isStep) => {
    if (address() !== location.hash) history[isStep ? "pushState" : "replaceState"](null, "", address());
  };

  // --- what may be chosen --------------------------------------------------------------------------------------------------------

  const count = (rows, of) => {
    const out = new Map();
    for (const row of rows) out.set(of(row), (out.get(of(row)) ?? 0) + 1);
    return out;
  };
  const deviceCount = (rows) => new Set(rows.map((r) => r.known("device")).filter(Boolean)).size;
  const byOrder = (name) => (a, b) => (name === "round" ? abdb.rounds.indexOf(b) - abdb.rounds.indexOf(a) : a < b ? -1 : a > b ? 1 : 0);
  // The one that most devices have; of rounds the latest; of divisions closed.
  const usual = (name, rows, of, options) => {
    if (name === "round") return options[0];
    if (name === "division" && options.includes("closed")) return "closed";
    const devices = new Map(options.map((o) => [o, new Set()]));
    for (const row of rows) devices.get(of(row)).add(row.known("device"));
    const isLanguage = (o) => name === "what" && rows.some((r) => of(r) === o && r.known("metric") === "tokens_per_s");
    return [...options].sort((a, b) => isLanguage(b) - isLanguage(a) || devices.get(b).size - devices.get(a).size)[0];
  };
  const fill = (select, options, chosen) => {
    select.replaceChildren(...options.map(([value, words]) => make("option", words, { value })));
    select.value = chosen;
    select.disabled = options.length < 2;
  };

  // Narrows the rows facet by facet; a choice that the ones before leave no result is replaced by the usual one.
  const narrow = () => {
    let rows = abdb.rows;
    for (const [name, of] of facets) {
      const found = count(rows, of), options = [...found.keys()].sort(byOrder(name));
      const mayAll = name === "round" && options.length > 1;
      if (!found.has(state[name]) && !(mayAll && state[name] === ALL)) state[name] = options.length ? usual(name, rows, of, options) : "";
      fill(control(name), [...(mayAll ? [[ALL, `all rounds (${rows.length})`]] : []), ...options.map((o) => [o, `${o || names[""]} (${found.get(o)})`])], state[name]);
      if (state[name] !== ALL) rows = rows.filter((r) => of(r) === state[name]);
    }
    return rows;
  };

  // Results that may be ranked together, told by what they have of their own: first those with the most devices that have a value.
  const chooseParts = (rows) => {
    const parts = new Map();
    for (const row of rows) parts.set(row.part, [...(parts.get(row.part) ?? []), row]);
    const said = (i) => abdb.parts[i].split(", "), shared = parts.size ? [...parts.keys()].map(said).reduce((a, b) => a.filter((w) => b.includes(w))) : [];
    const own = (i) => said(i).filter((w) => !shared.includes(w)).join(", ") || "all";
    const able = new Map([...parts].map(([i, list]) => [i, deviceCount(list.filter((r) => abdb.valueOf(r, state).value !== null))]));
    const sorted = [...parts.entries()].sort((a, b) => able.get(b[0]) - able.get(a[0]) || deviceCount(b[1]) - deviceCount(a[1]) || a[0] - b[0]);
    const found = sorted.find(([i]) => own(i) === state.part) ?? sorted[0];
    state.part = parts.size > 1 ? own(found[0]) : null;
    fill(control("part"), sorted.map(([i, list]) => [own(i), `${own(i)} (${list.length})`]), found ? own(found[0]) : "");
    return { rows: found ? found[1] : [], others: sorted.filter((p) => p !== found).map(([i, list]) => ({ own: own(i), n: list.length })) };
  };

  const fillDevices = (rows) => {
    const devices = [...count(rows, (r) => r.known("device"))].sort((a, b) => (a[0] < b[0] ? -1 : 1)), box = $("device-list");
    const hidden = devices.filter(([d]) => state.hidden.has(d)).length;
    $("devices-said").textContent = hidden ? `${devices.length - hidden} of ${devices.length}` : `all ${devices.length}`;
    if (box.dataset.of !== JSON.stringify(devices)) {
      box.dataset.of = JSON.stringify(devices);
      box.replaceChildren(...devices.map(([device, n]) => {
        const label = make("label"), input = make("input", null, { type: "checkbox", name: "device", value: device });
        label.append(input, ` ${device || "not told"} (${n})`);
        return label;
      }));
    }
    for (const input of box.querySelectorAll("input")) input.checked = !state.hidden.has(input.value);
  };

  const fillPrices = (rows) => {
    const devices = [...new Set(rows.map((r) => r.known("device")).filter(Boolean))].sort(), box = $("price-list");
    const key = JSON.stringify([devices, state.kind]);
    $("prices-said").textContent = `${state.kind === "any" ? "of any kind" : state.kind}, ${state.prices.size} of your own`;
    if (box.dataset.of !== key) {
      box.dataset.of = key;
      box.replaceChildren(...devices.map((device) => {
        const stored = rows.filter((r) => r.known("device") === device).map((r) => abdb.priceOf({ prices: new Map(), kind: state.kind }, r)?.offer)
          .reduce((best, o) => (o && !(o.price >= best?.price) ? o : best), undefined), label = make("label", device), line = make("div", null, { class: "price" });
        label.append(make("input", null, { type: "number", min: "0", step: "any", inputmode: "decimal", name: "price", "data-device": device,
          placeholder: stored ? String(Number(stored.price.toPrecision(4))) : "none stored" }));
        line.append(label);
        if (stored) line.append(link(`${stored.provider}, ${stored.kind}, ${abdb.ageWords(stored.date)}`, abdb.place(stored.source, stored.key)));
        return line;
      }));
    }
    for (const input of box.querySelectorAll("input")) if (input !== document.activeElement) input.value = state.prices.get(input.dataset.device) ?? "";
  };

  // --- what is shown -------------------------------------------------------------------------------------------------------------

  const perWords = () => (state.per === "none" ? "as stated" : `per ${abdb.pers[state.per].label}`);
  const find = (ranked, direction, rows) => {
    const what = [state.what, state.scenario].filter(Boolean).join(" ");
    if (!ranked.length) return rows.length ? `Nothing of ${what} can be shown ${perWords()}` : "No result is chosen";
    const [first, second] = ranked, least = direction < 0;
    const lead = least ? `${first.label} needs least for ${what}: ${show(first.value)} ${seen.unit}` : `${first.label} leads ${what} at ${show(first.value)} ${seen.unit}`;
    if (!second) return `${lead}, alone`;
    const apart = 100 * (least ? second.value / first.value - 1 : 1 - second.value / first.value), words = apart < 9.5 ? apart.toPrecision(2) : Math.round(apart);
    return apart > 0 ? `${lead}; ${second.label} ${least ? `needs ${words} % more` : `is ${words} % behind`}` : `${lead}; so does ${second.label}`;
  };
  const tell = (r) => {
    const { row } = r, parts = [`${show(r.value)} ${seen.unit}`, row.known("device"), row.devices && `${row.devices} chips`, row.known("system"), row.known("submitter"),
      row.id && `ID ${row.id}`, row.known("round"), row.known("evidence") === "mlperf" && row.verifiedAs,
      abdb.isPriced(state.per) && `at ${show(abdb.pricedOf(r, state).price)} USD/h`, row.known("source")];
    return parts.filter(Boolean).join(", ");
  };

  const oldest = (ranked) => {
    const days = ranked.map((r) => abdb.pricedOf(r, state)?.offer).filter(Boolean).map((o) => abdb.ageOf(o.date));
    return days.includes(null) ? ", some of unknown age" : days.length ? `, up to ${Math.max(...days)} days old` : "";
  };
  const rowWords = { device: "devices", system: "systems", submitter: "submitters", key: "results" };

  const look = (rows, others) => {
    const chosen = rows.filter((r) => !state.hidden.has(r.known("device"))), { ranked, left, direction } = abdb.rank(chosen, state);
    const per = state.per === "rate" ? "device" : state.per, unit = rows.find((r) => r[per].unit)?.[per].unit ?? "";
    for (const r of ranked) {
      r.label = state.by === "key" ? `${r.row.known("device") || "?"} x${r.row.devices ?? "?"} ${r.row.known("submitter") || r.row.known("source")}` : r.name || "not told";
      r.x = abdb.across[state.across].of(r.row, state);
    }
    seen = { ranked, left, others, direction, view: state.view, show, tell, rounds: abdb.rounds.filter((n) => ranked.some((r) => r.x === n)),
      unit: state.per === "rate" ? (state.rate ? "USD/h" : `USD/h for 1 ${unit.replace("/device", "")}`) : unit.replace("/device", "/chip") };
    seen.front = abdb.markFront(ranked, direction);
    seen.finding = find(ranked, direction, rows);
    seen.acrossLabel = abdb.across[state.across].label;
    seen.valueLabel = `${seen.unit}${direction < 0 ? " (less is better)" : ""}`;
    const some = (name) => [...new Set(ranked.map((r) => r.row.known(name)).filter(Boolean))];
    const unverified = ranked.filter((r) => r.row.known("evidence") === "mlperf" && r.row.verifiedAs !== "verified").length;
    seen.subtitle = [state.suite, some("round").join(" "), some("division").join(" "), perWords(), abdb.pers[state.per].formula && (state.per === "rate" ? "as abdb choose" : `formula ${abdb.pers[state.per].formula}`),
      abdb.isPriced(state.per) && `${state.prices.size ? `${state.prices.size} prices of your own, else ` : ""}cheapest stored offer, ${state.kind}${oldest(ranked)}`,
      unverified && `${unverified} unverified (hollow)`, state.by === "key" ? `${ranked.length} of ${rows.length} results` : `${ranked.length} ${rowWords[state.by]}, ${rows.length} results`].filter(Boolean).join(" · ");
    seen.cite = abdb.cite(ranked.map((r) => r.row));
    const small = abdb.isPriced(state.per) ? new Set(ranked.flatMap((r) => abdb.tooSmall(state, r.row))) : new Set();
    if (small.size)
      seen.cite.push(`Left out: ${[...small].map((o) => `${o.device} at ${show(o.price)} USD/h of ${o.provider}, ${o.size} together`).join(", ")}: offers of fewer devices than a node of the measured system has.`);
    if (state.per !== "none" && ranked.some((r) => r.row.known("evidence") === "mlperf"))
      seen.cite.push("Values per chip, watt or dollar are derived by abdb; not an official or verified MLPerf® metric.");
  };

  const heads = () => [["value", seen.unit], [state.per === "rate" || seen.direction < 0 ? "of the least" : "of first", "", "n"], ["compare"], ...(state.per === "rate" ? [["systems", "", "n"], ["in all", "chips", "n"]] : []), ["device"], ["chips", "", "n"],
    ...(abdb.isPriced(state.per) ? [["price", "USD/h", "n"]] : []), ["system"], ["submitter"], ["round"], ["ID"], ["front"]];
  const line = (r) => {
    const { row } = r, tr = make("tr"), cell = (content, number) => {
      const td = make("td", null, number ? { class: "n" } : content?.length > 36 ? { class: "w" } : {});
      td.append(content ?? "");
      tr.append(td);
    };
    const box = make("input", null, { type: "checkbox", name: "compare", value: row.key, "aria-label": `compare ${row.known("device")} ${row.known("system")} ${row.id}` });
    const ratio = r.value / seen.ranked[0].value;
    box.checked = state.a === row.key || state.b === row.key;
    cell(link(show(r.value), abdb.place(row.known("source"), row.key)), true);
    cell(`${(100 * ratio).toFixed(ratio > 0.1 ? 0 : 1)} %`, true);
    cell(box);
    if (state.per === "rate") {
      cell(String(r.rented.systems), true);
      cell(String(r.rented.devices), true);
    }
    cell(row.known("device"));
    cell(row.devices === null ? "" : String(row.devices), true);
    if (abdb.isPriced(state.per)) {
      const priced = abdb.pricedOf(r, state);
      cell(priced.own ? `${show(priced.price)} yours` : link(show(priced.price), abdb.place(priced.offer.source, priced.offer.key)), true);
    }
    for (const name of ["system", "submitter", "round"]) cell(row.known(name));
    cell(row.id);
    cell(r.front ? "yes" : "");
    return tr;
  };
  const fillRows = () => {
    const table = $("rows"), head = make("tr"), shown = whole ? seen.ranked : seen.ranked.slice(0, ROWS), left = $("left");
    for (const [name, unit, n] of heads()) head.append(make("th", unit ? `${name}, ${unit}` : name, name === "value" || n ? { scope: "col", class: "n" } : { scope: "col" }));
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...shown.map(line));
    $("more").replaceChildren();
    if (shown.length < seen.ranked.length) {
      const button = make("button", `Show all ${seen.ranked.length}`, { type: "button" });
      button.addEventListener("click", () => { whole = true; fillRows(); });
      $("more").append(button);
    }
    left.hidden = !seen.left.length && !seen.others.length;
    left.querySelector("summary").textContent = `Left out: ${seen.left.length + seen.others.reduce((n, o) => n + o.n, 0)}`;
    left.querySelector("ul").replaceChildren(...seen.others.map((o) => make("li", `${o.n} of ${o.own}: may not be ranked with these; “Comparable results” chooses them`)),
      ...seen.left.slice(0, 200).map(({ row, why }) => {
        const li = make("li");
        li.append(link([row.known("device"), row.known("system"), row.known("submitter"), row.id].filter(Boolean).join(", "), abdb.place(row.known("source"), row.key)), `: ${why}`);
        return li;
      }));
  };

  // --- may these two be compared? ------------------------------------------------------------------------------------------------

  const side = (row, words) => {
    const p = make("p", `${words}: `);
    p.append(link([show(row.none.value) + " " + row.none.unit, row.what, row.known("scenario"), row.known("device"), row.devices && `${row.devices} chips`, row.known("system"),
      row.known("submitter"), row.known("round"), row.id].filter(Boolean).join(", "), abdb.place(row.known("source"), row.key)));
    return p;
  };
  const ruleLine = (rule, missing) => {
    const li = make("li");
    li.append(make("code", rule.rule), ` ${rule.sentence} `, rule.test === "needed" ? `(${missing}) ` : "", make("span", `(${rule.source}, ${rule.locator})`, { class: "note" }));
    return li;
  };
  // The factors of the second's value by the first's, each with the result that its step leads to.
  const splitList = (a, b) => {
    const split = abdb.split(a, b), box = make("div");
    if (!split) return box;
    const list = make("ol");
    for (const f of split.factors) {
      const li = make("li", `${f.name}, ${f.a} → ${f.b}: `);
      li.append(link(f.times.toPrecision(4), abdb.place(f.row.known("source"), f.row.key)));
      if (f.missing.length) li.append(make("span", ` not separable without a result of ${f.missing.join(" or ")}`, { class: "note" }));
      list.append(li);
    }
    box.append(make("p", `The second has ${split.ratio.toPrecision(4)} times the ${split.unit} of the first. Derived by abdb, as the product of:`), list,
      make("p", `abdb why ${[a, b].map((r) => `key=${r.key},metric=${r.known("metric")}`).join(" ")}${split.per === "device" ? " --per device" : ""}`, { class: "command" }));
    return box;
  };
  const fillVerdict = () => {
    const box = $("verdict"), a = abdb.byKey.get(state.a), b = abdb.byKey.get(state.b), rules = (list, missing) => {
      const ul = make("ul");
      ul.append(...list.map((rule) => ruleLine(rule, missing)));
      return ul;
    };
    box.replaceChildren();
    for (const [row, words] of [[a, "First"], [b, "Second"]]) if (row) box.append(side(row, words));
    if (!a || !b) return;
    const told = abdb.judge(a, b), clear = make("button", "Forget both", { type: "button" });
    box.append(make("p", told.refusals.length ? "No. These rules refuse it:" : told.differ.length ? "Yes, except for what differs:" : "Yes.", { class: "verdict" }));
    if (told.refusals.length) box.append(rules(told.refusals, told.missing));
    if (told.remarks.length) box.append(make("p", "To be said with it:"), rules(told.remarks));
    if (told.differ.length) {
      const dl = make("dl", null, { class: "how" });
      for (const d of told.differ) dl.append(make("dt", d.name), make("dd", `${d.a || "not told"} | ${d.b || "not told"}`));
      box.append(make("p", "They differ in:"), dl);
    }
    if (!told.refusals.length && a !== b) box.append(splitList(a, b));
    clear.addEventListener("click", () => { state.a = state.b = null; update(true); });
    box.append(make("p", `abdb compare ${[a, b].map((r) => `key=${r.key},metric=${r.known("metric")}`).join(" ")} --per none`, { class: "command" }), clear);
  };

  // --- the picture -----------------------------------------------------------------------------------------------------------------

  // Rests while the pointer is on it.
  const tip = $("tip"), hideTip = () => { tip.hidden = true; };
  const showTip = (mark) => {
    const row = abdb.byKey.get(mark.dataset.key), r = seen.ranked.find((x) => x.row === row);
    if (!r) return;
    const box = mark.querySelector(".shape").getBoundingClientRect(), lines = [
      ["", `${show(r.value)} ${seen.unit}`], ["device", `${row.known("device")}${row.devices ? `, ${row.devices} chips` : ""}`], ["system", row.known("system")],
      ["submitter", row.known("submitter")], ["ID", row.id], ["round", [row.known("round"), row.known("division"), row.known("evidence") === "mlperf" ? row.verifiedAs : ""]
        .filter(Boolean).join(", ")], ["software", row.known("software")], ["source", abdb.source(row.known("source")).title || row.known("source")]];
    tip.replaceChildren(...lines.filter(([, words]) => words).map(([name, words]) => make(name ? "p" : "strong", name ? `${name}: ${words}` : words)));
    tip.append(link("the fact behind it", abdb.place(row.known("source"), row.key)));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(box.left + 12, window.innerWidth - tip.offsetWidth - 16)) + window.scrollX}px`;
    tip.style.top = `${box.bottom + 6 + window.scrollY}px`;
    tip.dataset.key = row.key;
  };
  const marksInOrder = () => {
    const found = new Map([...$("picture").querySelectorAll(".mark")].map((m) => [m.dataset.key, m]));
    return seen.ranked.map((r) => found.get(r.row.key)).filter(Boolean);
  };
  const paint = () => {
    const box = $("picture"), had = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    hideTip();
    if (!window.d3) return;
    box.replaceChildren(seen.ranked.length ? abdb.draw(seen, Math.max(300, box.clientWidth), false) : "");
    const marks = marksInOrder(), again = marks.find((m) => m.dataset.key === had);
    (again ?? marks[0])?.setAttribute("tabindex", 0);
    again?.focus();
    performance.mark("picture");
  };
  const step = (from, by) => {
    const marks = marksInOrder();
    const next = marks[Math.max(0, Math.min(marks.length - 1, by === Infinity ? marks.length - 1 : by === -Infinity ? 0 : marks.indexOf(from) + by))];
    from.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  };
  $("picture").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key], mark = event.target.closest(".mark");
    if (!by || !mark) return;
    event.preventDefault();
    step(mark, by);
  });
  for (const name of ["focusin", "mouseover"]) $("picture").addEventListener(name, (event) => { const mark = event.target.closest(".mark"); if (mark) showTip(mark); });
  $("picture").addEventListener("focusout", hideTip);
  document.addEventListener("mouseover", (event) => { if (!tip.hidden && !event.target.closest?.("#picture, #tip")) hideTip(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

  // --- all of it -------------------------------------------------------------------------------------------------------------------

  const fillFixed = () => {
    const rows = narrow(), { rows: together, others } = chooseParts(rows), pers = Object.entries(abdb.pers).filter(([per]) =>
      per === "none" || per === state.per || together.some((r) => r[per === "rate" ? "device" : per].value !== null));
    fill(control("per"), pers.map(([per, { label }]) => [per, label]), state.per);
    for (const name of ["by", "view"]) control(name).value = state[name];
    fill(control("across"), Object.entries(abdb.across).map(([name, { label }]) => [name, label]), state.across);
    fill(control("kind"), [...new Set(["on-demand", ...abdb.offers.map((o) => o.kind)])].map((k) => [k, k]).concat([["any", "any"]]), state.kind);
    $("across-label").hidden = state.view !== "points";
    $("rate-label").hidden = state.per !== "rate";
    if (control("rate") !== document.activeElement) control("rate").value = state.rate ?? "";
    fillDevices(together);
    fillPrices(together);
    return [together, others];
  };
  // Names are those of strangers, and the command is there to be copied: in a shell it is these words and nothing else.
  const shellWord = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
  const shellName = (text) => (/^[\w.:+-]+$/.test(text) ? text : shellWord(text));
  const selectionValue = (text) => (/^[\w.+()\/:;-][\w.+()\/:; -]*$/.test(text) && !text.endsWith(" ") ? text : `'${String(text).replaceAll("'", "''")}'`);
  const command = () => {
    const where = [["metric", state.metric], [abdb.rows.find((r) => r.what === state.what)?.known("model") ? "model" : "workload", state.what], ["scenario", state.scenario],
      ["division", state.division], ["round", state.round !== ALL && state.round]].filter(([, value]) => value).map(([name, value]) => `${name}=${selectionValue(value)}`).join(",");
    const quotes = [...state.prices].filter(([device]) => !/[=,]/.test(device)).map(([device, price]) => `${device}=${price} USD/h`).join(",");
    const prices = abdb.isPriced(state.per) && quotes ? ` --price ${shellWord(quotes)}` : "";
    if (state.per === "million") return `abdb query token-cost`;
    if (state.per === "rate") return `abdb choose ${shellWord(where)} --tier any${state.rate ? ` --rate ${shellName(state.rate)}` : ""}${prices}`;
    return `abdb rank ${shellWord(where)} --per ${shellName(state.per)} --by ${shellName(state.by)}${state.per === "dollar" ? ` --price-kind ${shellName(state.kind)}` : ""}${prices}`;
  };
  // An address with the digest of its answer: what it was made of can be told from what is seen now.
  const fillAddress = (then) => {
    const now = abdb.digest(abdb.csv(seen.ranked, state, seen.unit)), changed = $("changed");
    $("address").href = `${address()}&answer=${now}`;
    changed.hidden = then === null || then === now;
    changed.textContent = changed.hidden ? "" : `This address was made of another answer: its digest is ${then.slice(0, 64)}, that of these rows is ${now}.`;
  };
  const update = (isStep) => {
    const then = isStep ? null : new URLSearchParams(location.hash.slice(1)).get("answer");
    const [rows, others] = fillFixed();
    remember(isStep);
    look(rows, others);
    $("finding").textContent = seen.finding;
    $("subtitle").textContent = seen.subtitle;
    $("said").textContent = `${seen.finding}. ${seen.ranked.length} rows.`;
    document.title = `${seen.finding} - Explore`;
    paint();
    fillRows();
    fillVerdict();
    $("command").replaceChildren(make("code", command()));
    if ($("try")) $("command").append(" ", make("a", "run it here", { href: `try.html#${encodeURIComponent(command())}` }));
    $("citation").replaceChildren(...seen.cite.map((words) => make("p", words)));
    fillAddress(then);
  };
  const typed = (input) => {
    const value = Number(input.value), ok = input.value.trim() === "" || (value > 0 && Number.isFinite(value));
    input.setAttribute("aria-invalid", String(!ok));
    if (!ok) return false;
    if (input.name === "rate") state.rate = value || null;
    else if (value) state.prices.set(input.dataset.device, value);
    else state.prices.delete(input.dataset.device);
    return true;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => { if (event.target.type === "number" && typed(event.target)) update(false); });
  form.addEventListener("change", (event) => {
    const { name, value, checked, type } = event.target;
    whole = false;
    if (type === "number") { if (typed(event.target)) update(true); return; }
    if (name === "device") state.hidden[checked ? "delete" : "add"](value);
    else state[name] = value;
    update(true);
  });
  $("rows").addEventListener("change", (event) => {
    const { value, checked } = event.target;
    if (!checked) { if (state.a === value) [state.a, state.b] = [state.b, null]; else state.b = null; }
    else if (!state.a) state.a = value;
    else state.b = value;
    update(true);
    document.querySelector(`#rows input[value="${CSS.escape(value)}"]`)?.focus();
  });
  document.querySelector(".buttons").addEventListener("click", (event) => {
    const kind = event.target.dataset.save, name = `abdb-${[state.what, state.scenario, state.round, state.per].filter(Boolean).join("-").replace(/[^\w.-]+/g, "_")}`;
    if (kind === "svg") abdb.saveSvg(seen, `${name}.svg`);
    if (kind === "png") abdb.savePng(seen, `${name}.png`);
    if (kind === "csv") abdb.save(`${name}.csv`, "text/csv", abdb.csv(seen.ranked, state, seen.unit));
    if (kind === "citation") abdb.save(`${name}.txt`, "text/plain", `${seen.cite.join("\n")}\n`);
  });
  window.addEventListener("popstate", () => { state = read(); update(false); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  let width = 0;
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - width) > 1 && seen) paint();
    width = entry.contentRect.width;
  }).observe($("picture"));

  const problems = [!window.d3 && "The picture needs the library D3, which was not there when this site was written: apt-get install node-d3, then abdb site. The tables work without.",
    abdb.left?.length && `Too many for a page, so abdb query and abdb rank alone have them: ${abdb.left.join(", ")}.`, !abdb.rows.length && "There are no results."].filter(Boolean);
  $("broken").textContent = problems.join(" ");
  $("broken").hidden = !problems.length;
  for (const button of document.querySelectorAll("[data-save=svg], [data-save=png]")) button.hidden = !window.d3;
  $("keys").hidden = !window.d3;
  state = read();
  abdb.now = () => ({ state, seen });
  if (abdb.rows.length) update(false);
}
