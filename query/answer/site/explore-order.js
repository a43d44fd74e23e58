// explore-order.js - which results are shown, and in which order: as abdb rank orders them. Values come from the database; a price
// divides or multiplies them as the formula's power in v_formula says, and nothing else is computed but what renting a wanted rate
// takes (query/compare/choose.h).
"use strict";
{
  abdb.pers = {
    none: { label: "as stated (system)", formula: null },
    device: { label: "chip", formula: "per_device@1" },
    watt: { label: "watt", formula: "per_watt@1" },
    dollar: { label: "dollar", formula: "per_dollar@1" },
    million: { label: "million tokens, in dollars", formula: "usd_per_million_tokens@1" },
    rate: { label: "wanted rate, in dollars an hour", formula: "choose" },
  };
  const isPriced = (per) => per === "dollar" || per === "million" || per === "rate";
  abdb.isPriced = isPriced;

  const counts = (state, device, offer) => offer.device === device && (state.kind === "any" || offer.kind === state.kind);

  // How many devices of an offer whole nodes of a row's system use; below 1: it holds no node (schema/core/offer_capacity.h).
  const usedOf = (row, offered) => {
    const size = row.devices, nodes = Number(row.known("nodes")), node = nodes >= 1 ? size / nodes : offered > 1 && size % offered === 0 ? offered : size;
    return offered < 1 ? 1 : Math.floor(offered / node) * node;
  };
  const fits = (row, offer) => !row.devices || usedOf(row, offer.size) >= 1;

  // The price that counts for a row: the reader's own, else the cheapest offer of the kind that holds a node of its system.
  abdb.priceOf = (state, row) => {
    const device = row.known("device");
    if (state.prices.has(device)) return { price: state.prices.get(device), own: true };
    const offer = abdb.offers.find((o) => counts(state, device, o) && fits(row, o));
    return offer ? { price: offer.price, offer } : null;
  };

  // The offers that would be cheaper, but are of fewer devices than a node.
  abdb.tooSmall = (state, row) => {
    const price = abdb.priceOf(state, row);
    return price?.own ? [] : abdb.offers.filter((o) => counts(state, row.known("device"), o) && !fits(row, o) && !(o.price >= price?.price));
  };

  // Days since a price was stated; of "2025-12-02/2026-11-21" since the first day; null: undated.
  // Days; null: the date is not known, or only two days between which it lies.
  abdb.ageOf = (date) => (date && !date.includes("/") ? Math.floor((Date.now() - Date.parse(date)) / 864e5) : null);
  abdb.ageWords = (date) => (!date ? "undated" : date.includes("/") ? `read on ${date.split("/")[1]}, age unknown` : `${abdb.ageOf(date)} days old`);

  // Of one system, whatever its source states it per.
  const rateOf = (row) => row.device.value * row.devices;

  // 1 - 1e-12: twice a rate of 50.0 is two systems, whatever the last bit of the quotient says.
  const times = (wanted, each) => Math.ceil((wanted / each) * (1 - 1e-12));

  // What is rented for a wanted rate: whole systems in whole offers, as abdb choose counts them (query/compare/choose.h); null: no node
  // of the system fits into the offer.
  const rentAt = (row, wanted, priced) => {
    const rate = rateOf(row), size = row.devices, offered = priced.offer?.size ?? 0;
    const used = usedOf(row, offered);
    if (used < 1) return null;
    const systems = wanted ? times(wanted, rate) : Math.floor((times(size, used) * used) / size), devices = systems * size;
    const hour = times(devices, used) * Math.max(offered, 1) * priced.price, units = wanted || systems * rate;
    return { systems, devices, hour, million: (hour / (units * 3600)) * 1e6, cost: wanted ? hour : hour / units, priced };
  };

  // At the cheapest of the offers that count for its device; null: none of them holds a node.
  const rent = (row, state) => {
    const device = row.known("device"), own = state.prices.has(device);
    const rented = (own ? [abdb.priceOf(state, row)] : abdb.offers.filter((o) => counts(state, device, o)).map((offer) => ({ price: offer.price, offer })))
      .map((priced) => rentAt(row, state.rate, priced)).filter(Boolean);
    return rented.length ? rented.reduce((best, one) => (one.cost < best.cost ? one : best)) : null;
  };

  // The price behind a row of the ranking.
  abdb.pricedOf = (r, state) => r.rented?.priced ?? abdb.priceOf(state, r.row);

  // A row's value under the chosen measure, or why it has none.
  abdb.valueOf = (row, state) => {
    const per = state.per === "rate" ? "device" : state.per, cell = row[per];
    if (cell.why) return { value: null, why: cell.why };
    if (cell.value === null)
      return { value: null, why: { watt: "no measured power (no-watt-from-tdp)", none: "no value" }[per] ?? (row.device.value === null
        ? "only rates of a known number of devices are divided" : "not of tokens") };
    if (!isPriced(state.per)) return { value: cell.value, why: null };
    const device = row.known("device"), priced = abdb.priceOf(state, row);
    if (!priced && abdb.offers.some((o) => counts(state, device, o))) return { value: null, why: "offered only in fewer devices than a node has" };
    if (!priced) return { value: null, why: `no price of kind ${state.kind} for ${device || "an unknown device"}: type one` };
    if (state.per === "rate") {
      if (!row.devices) return { value: null, why: "number of devices not known" };
      const rented = rent(row, state);
      return rented ? { value: rented.cost, why: null, rented } : { value: null, why: "offered only in fewer devices than a node has" };
    }
    const [power] = abdb.formulas[abdb.pers[state.per].formula];
    return { value: power > 0 ? cell.value * priced.price : cell.value / priced.price, why: null };
  };

  // 1: more is better.
  abdb.direction = (rows, per) => (per === "million" || per === "rate" ? -1 : per === "none" && rows.length && rows[0].better < 0 ? -1 : 1);

  abdb.nameOf = (row, by) => (by === "key" ? row.key : row.known(by));

  const compareNames = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // The best of each name, the best first; a name's first result wins where two are equal.
  abdb.rank = (rows, state) => {
    const best = new Map(), left = [], direction = abdb.direction(rows, state.per);
    for (const row of rows) {
      const told = abdb.valueOf(row, state), name = abdb.nameOf(row, state.by);
      if (told.value === null || !Number.isFinite(told.value)) {
        left.push({ row, why: told.why ?? "no number" });
        continue;
      }
      const old = best.get(name);
      if (!old) best.set(name, { row, name, value: told.value, rented: told.rented, of: 1 });
      else {
        old.of++;
        const gain = direction * (told.value - old.value);
        // of two that cost the same abdb choose takes the faster one
        if (gain > 0 || (gain === 0 && told.rented && rateOf(row) > rateOf(old.row))) Object.assign(old, { row, value: told.value, rented: told.rented });
      }
    }
    const ranked = [...best.values()].sort((a, b) => direction * (b.value - a.value) || compareNames(a.name, b.name));
    return { ranked, left, direction };
  };

  // What stands across in the picture of points. Fewer devices, dollars and watts are better.
  abdb.across = {
    devices: { label: "chips", of: (row) => row.devices },
    price: { label: "USD for a chip and hour", of: (row, state) => abdb.priceOf(state, row)?.price ?? null },
    power: { label: "measured power, W", of: (row) => (row.watt.value ? row.none.value / row.watt.value : null) },
    round: { label: "round", of: (row) => row.known("round") || null },
  };

  // The Pareto front: nothing is at least as good in both and better in one. As abdb rank --pareto.
  abdb.markFront = (ranked, direction) => {
    const sorted = ranked.filter((r) => typeof r.x === "number").sort((a, b) => a.x - b.x || direction * (b.value - a.value));
    let best = null, bestX = null;
    for (const r of sorted) {
      r.front = best === null || direction * (r.value - best) > 0 || (r.value === best && r.x === bestX);
      if (r.front) [best, bestX] = [r.value, r.x];
    }
    return sorted.filter((r) => r.front);
  };
}
