// explore-rules.js - may two results be compared? The rules are those of the database (v_rule), applied to one result on each
// side as query/compare/rules.c applies them: abdb compare key=A,metric=M key=B,metric=N says the same.
"use strict";
{
  // SQLite's GLOB: * any letters, ? one, [a-c] one of these, [^a-c] none of them.
  const globs = new Map();
  const glob = (pattern) => {
    if (!globs.has(pattern)) {
      const source = pattern.replace(/\[\^?\]?[^\]]*\]|[*?]|[\\^$.|+(){}[\]]/g, (part) =>
        part === "*" ? "[^]*" : part === "?" ? "[^]" : part.length > 1 ? part.replace(/\\/g, "\\\\") : `\\${part}`);
      globs.set(pattern, new RegExp(`^${source}$`, "u"));
    }
    return globs.get(pattern);
  };
  const matches = (pattern, text) => (pattern.startsWith("!") ? !glob(pattern.slice(1)).test(text) : glob(pattern).test(text));
  const isKnown = (row, name) => typeof row.factors[name]?.[1] === "string";
  const has = (row, name, pattern) => isKnown(row, name) && matches(pattern, row.factors[name][1]);
  const inScope = (rule, row) => !rule.scopeFactor || has(row, rule.scopeFactor, rule.scopeValue);

  const tests = {
    pair: (r, a, b) => (has(a, r.factor, r.a) && has(b, r.factor, r.b)) || (has(b, r.factor, r.a) && has(a, r.factor, r.b)),
    either: (r, a, b) => has(a, r.factor, r.a) || has(b, r.factor, r.a),
    needed: (r, a, b) => Boolean(a.needs ?? b.needs),
    // both know it, and not the same
    differ: (r, a, b) => Boolean(a.known(r.factor) && b.known(r.factor)) && a.known(r.factor) !== b.known(r.factor),
  };
  const holds = (rule, a, b) => inScope(rule, a) && inScope(rule, b) && Object.hasOwn(tests, rule.test) && tests[rule.test](rule, a, b);

  // Rules that refuse the pair, rules that remark something, and the factors in which it differs, or of which a side says nothing.
  abdb.judge = (a, b) => {
    const held = abdb.rules.filter((rule) => holds(rule, a, b));
    const names = new Set();
    for (const row of [a, b]) for (const name in row.factors) if (row.factors[name][2] && !(isKnown(a, name) && isKnown(b, name) &&
      a.known(name) === b.known(name))) names.add(name);
    return {
      refusals: held.filter((rule) => rule.effect === "refuse"),
      remarks: held.filter((rule) => rule.effect !== "refuse"),
      differ: [...names].sort().map((name) => ({ name, a: a.known(name), b: b.known(name) })),
      missing: a.needs ?? b.needs,
    };
  };
}
