// explore-why.js - the ratio of two results as a product of factors, by a chain of results from the one to the other, as
// query/compare/ratio_factors.c makes it: abdb why key=A,metric=M key=B,metric=M says the same.
"use strict";
{
  const dimensions = [["backend", "backend"], ["round", "round"], ["devices", "scale"], ["dtype", "number format"], ["device", "device"]];
  const same = ["evidence", "suite", "system_type", "division", "workload", "model", "metric", "statistic", "scenario"];
  const bits = (set) => [...dimensions.keys()].filter((i) => (set >> i) & 1);

  // From the steps of the longest chain to a state (a set of dimensions that have B's value already) to its factors. null: the two have
  // no ratio of single values.
  abdb.split = (a, b) => {
    const per = a.device.value !== null && b.device.value !== null ? "device" : "none", value = (row) => row[per].value;
    const stands = (row) => !row[per].why && value(row) > 0;
    if (!stands(a) || !stands(b) || a.known("evidence") === "measured" || a.known("metric") !== b.known("metric") || a[per].unit !== b[per].unit) return null;
    const differ = dimensions.filter(([name]) => a.known(name) !== b.known(name)), all = 2 ** differ.length - 1, state = [], steps = [], before = [];
    const fits = (row, set) => (row.part === a.part || row.part === b.part) && stands(row) && same.every((name) => row.known(name) === a.known(name)) &&
      dimensions.every((d) => row.known(d[0]) === ((set >> differ.indexOf(d)) & 1 && differ.includes(d) ? b : a).known(d[0]));
    const better = (x, y) => (a.better === "lower" ? value(x) < value(y) : value(x) > value(y));
    const earlier = (x, y) => Boolean((x ^ y) & -(x ^ y) & x);
    for (let set = 0; set <= all; set++) {
      state[set] = set === 0 ? a : set === all ? b : abdb.rows.filter((row) => fits(row, set)).reduce((best, row) => (best && !better(row, best) ? best : row), null);
      steps[set] = 0;
      for (let sub = 0; state[set] && sub < set; sub++) {
        if ((sub & set) !== sub || !state[sub] || (sub && !steps[sub])) continue;
        if (steps[sub] + 1 > steps[set] || (steps[sub] + 1 === steps[set] && earlier(sub, before[set]))) [steps[set], before[set]] = [steps[sub] + 1, sub];
      }
    }
    const words = (row, set) => bits(set).map((i) => row.known(differ[i][0]) || "unknown"), factors = [];
    for (let set = all; set; set = before[set]) {
      const from = before[set], changed = bits(set & ~from), mixed = (to) => differ.map(([name], i) => ((to >> i) & 1 ? b : a).known(name) || "unknown").join(", ");
      factors.unshift({ name: changed.map((i) => differ[i][1]).join(" and "), a: words(a, set & ~from).join(", "), b: words(b, set & ~from).join(", "),
        times: value(state[set]) / value(state[from]), row: state[set], missing: changed.length > 1 ? changed.map((i) => mixed(from | (1 << i))) : [] });
    }
    if (!all) factors.push({ name: "system or run", a: a.known("system"), b: b.known("system"), times: value(b) / value(a), row: b, missing: [] });
    return { per, unit: a[per].unit, ratio: value(b) / value(a), factors };
  };
}
