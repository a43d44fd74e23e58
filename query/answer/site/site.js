// site.js - sorts and filters the tables of the pages that `abdb site` writes, and compares an address with the answer; without it they are plain.
"use strict";
// An address may hold the digest of the answer that it was made of, and that the page stands in a frame of another.
{
  const changed = document.getElementById("changed");
  const compare = () => {
    const from = new URLSearchParams(location.hash.slice(1)), then = from.get("answer");
    document.documentElement.classList.toggle("embed", from.has("embed"));
    if (!changed) return;
    const now = JSON.parse(document.getElementById("abdb").textContent).data;
    changed.hidden = then === null || (/^[0-9a-f]{16,64}$/.test(then) && now.startsWith(then));
    changed.textContent = changed.hidden ? "" : `This address was made of another answer: its digest is ${then.slice(0, 64)}, that of these rows is ${now.slice(0, 16)}.`;
  };
  compare();
  addEventListener("hashchange", compare);
  const site = /^https?:$/.test(location.protocol) ? new URL(".", location.href).href : "";
  for (const code of document.querySelectorAll(".copy")) code.textContent = code.textContent.replace(/ (src|href)="/g, ` $1="${site}`);
}
const phone = matchMedia("(max-width: 40rem)").matches;
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], rows = Array.from(body.rows), scroll = table.parentElement, heads = table.tHead.rows[0]?.cells ?? [];
  // on a phone numbers stand beside the name and not behind the edge: other words come after them
  if (phone) {
    const name = Array.from(heads).findIndex((head) => head.className !== "n");
    const place = (i) => (i <= name ? 0 : heads[i].className === "n" ? 1 : 2);
    const order = Array.from(heads, (_, i) => i).sort((a, b) => place(a) - place(b) || a - b);
    for (const row of table.rows) if (row.cells.length === order.length) row.append(...order.map((i) => row.cells[i]));
    table.className = table.className.replace(/\b([nw])(\d+)/g, (_, kind, i) => kind + (order.indexOf(i - 1) + 1));
  }
  // a fact's row is named by its key
  if (table.classList.contains("facts")) {
    const head = document.createElement("th");
    head.scope = "col";
    head.textContent = "key";
    table.tHead.rows[0].append(head);
    for (const row of rows) row.insertCell().textContent = row.id.slice(0, 14);
  }
  if (rows.length < 3) continue;
  const value = (row, i) => {
    const cell = row.cells[i], text = cell.textContent.trim();
    if (text === "" || heads[i].className !== "n") return text;
    const number = cell.dataset.v === undefined ? Number.parseFloat(text) : Number(cell.dataset.v);
    return Number.isNaN(number) ? text : number;
  };
  Array.from(heads).forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== (head.className === "n" ? "descending" : "ascending");
      const sign = up === (head.className !== "n") ? 1 : -1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      rows.sort((a, b) => {
        const x = value(a, i), y = value(b, i);
        if (x === "" || y === "") return (x === "") - (y === "");
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
      });
      body.append(...rows);
    });
  });
  const label = document.createElement("label"), input = document.createElement("input"), count = document.createElement("output");
  label.className = "filter";
  label.append("Filter rows", input);
  input.type = "search";
  count.className = "note";
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = ` ${shown} of ${rows.length} rows`;
  });
  scroll.before(label, count);
}
