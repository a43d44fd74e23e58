// explore-chart.js - the pictures of explore.html, by D3: bars of the ranking, or points. Each is one SVG that stands alone, because
// its colours are attributes: what is saved is what is seen.
"use strict";
{
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const theme = () => ({ ink: style("--ink"), muted: style("--muted"), line: style("--line"), ground: style("--ground"), accent: style("--link"),
    series: Array.from({ length: 8 }, (_, i) => style(`--series-${i + 1}`)) });
  const text = (parent, x, y, words, { anchor = "start", size = 13, fill, weight = "normal" }) => parent.append("text").attr("x", x).attr("y", y)
    .attr("text-anchor", anchor).attr("font-size", size).attr("font-weight", weight).attr("fill", fill).text(words);
  const cut = (words, letters) => (words.length > letters ? `${words.slice(0, letters - 1)}…` : words);
  const fold = (words, letters) => {
    const lines = [""];
    for (const word of words.split(" ")) {
      if (lines.at(-1) && lines.at(-1).length + word.length + 1 > letters) lines.push("");
      lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
    }
    return lines;
  };

  // An SVG with room for title and caption, where they are asked for; draw(group, width) returns the height that it took.
  const frame = (seen, width, withWords, draw) => {
    const colours = theme(), svg = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("width", width).attr("role", "group")
      .attr("font-family", "system-ui, sans-serif").attr("aria-label", `${seen.finding} ${seen.subtitle}`);
    let y = 0;
    svg.append("rect").attr("width", "100%").attr("height", "100%").attr("fill", colours.ground);
    if (withWords) {
      for (const line of fold(seen.finding, width / 11.8)) text(svg, 14, (y += 26), line, { size: 19, weight: "bold", fill: colours.ink });
      for (const line of fold(seen.subtitle, width / 7.4)) text(svg, 14, (y += 19), line, { fill: colours.muted });
      y += 12;
    }
    const inner = svg.append("g").attr("transform", `translate(0,${y})`);
    y += draw(inner, width, colours);
    if (withWords) {
      y += 8;
      for (const line of seen.cite.flatMap((words) => fold(words, width / 5.6))) text(svg, 14, (y += 14), line, { size: 10, fill: colours.muted });
      y += 12;
    }
    svg.attr("height", y).attr("viewBox", `0 0 ${width} ${y}`);
    return svg.node();
  };

  // A mark that leads to its fact; of all marks one is reached by Tab, the others from it by the arrow keys (explore.js).
  const mark = (parent, r, seen) => {
    const link = parent.append("a").attr("class", "mark").attr("data-key", r.row.key).attr("tabindex", -1).attr("aria-label", seen.tell(r));
    const place = abdb.place(r.row.known("source"), r.row.key);
    if (place) link.attr("href", place);
    return link;
  };
  const isHollow = (r) => r.row.known("evidence") === "mlperf" && r.row.verifiedAs !== "verified";

  const bars = (seen) => (group, width, colours) => {
    const shown = seen.ranked.slice(0, 40), narrow = width < 560, most = d3.max(shown, (r) => Math.abs(r.value)) || 1;
    const left = narrow ? 14 : 14 + Math.min(260, 8 * d3.max(shown, (r) => Math.min(32, r.label.length))), right = narrow ? 14 : 96, step = narrow ? 40 : 26;
    const x = d3.scaleLinear([0, most], [0, width - left - right]);
    shown.forEach((r, i) => {
      const y = 6 + i * step, line = mark(group, r, seen), hollow = isHollow(r), barTop = narrow ? y + 20 : y + 3;
      line.append("rect").attr("x", 0).attr("y", y).attr("width", width).attr("height", step).attr("fill", colours.ground).attr("class", "hit");
      if (narrow) {
        const value = text(line, left, y + 15, `${seen.show(r.value)} `, { fill: colours.ink, weight: "bold", size: 14 });
        value.append("tspan").attr("font-weight", "normal").attr("font-size", 13).text(cut(r.label, 34));
      } else text(line, left - 10, y + 17, cut(r.label, 32), { anchor: "end", fill: colours.ink });
      line.append("rect").attr("x", left).attr("y", barTop).attr("width", Math.max(1, x(Math.abs(r.value)))).attr("height", narrow ? 12 : 18)
        .attr("fill", hollow ? colours.ground : colours.accent).attr("stroke", colours.accent).attr("class", "shape");
      if (!narrow) text(line, left + x(Math.abs(r.value)) + 8, y + 17, seen.show(r.value), { fill: colours.ink });
    });
    const rest = seen.ranked.length - shown.length, height = 6 + shown.length * step;
    if (rest > 0) text(group, left, height + 16, `and ${rest} more, in the table`, { fill: colours.muted });
    return height + (rest > 0 ? 26 : 8);
  };

  const symbols = () => [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolStar, d3.symbolCross, d3.symbolWye, d3.symbolCircle];

  // Values span decades as soon as systems of all sizes meet.
  const scaleOf = (values, range) => {
    const [low, high] = d3.extent(values);
    if (low > 0 && high / low > 20) return d3.scaleLog([low / 1.15, high * 1.15], range);
    return d3.scaleLinear([Math.min(0, low), high * 1.08 || 1], range).nice();
  };
  const axis = (parent, scale, side, colours, show) => {
    const made = (side === "left" ? d3.axisLeft(scale) : d3.axisBottom(scale)).tickSizeOuter(0);
    if (scale.base) {
      const few = scale.ticks().filter((v) => [1, 2, 5].includes(Math.round(v / 10 ** Math.floor(Math.log10(v) + 1e-9))));
      made.tickValues(few.length > 9 ? few.filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9) : few);
    } else if (scale.ticks) made.ticks(6);
    if (!scale.bandwidth && !scale.step) made.tickFormat(show);
    parent.call(made).attr("font-size", 12).attr("font-family", "inherit");
    parent.selectAll("text").attr("fill", colours.muted);
    parent.selectAll("line, path").attr("stroke", colours.line);
  };

  const points = (seen) => (group, width, colours) => {
    const height = Math.max(320, Math.min(520, width * 0.6)), shown = seen.ranked.filter((r) => r.x !== null && r.x !== undefined);
    if (!shown.length) {
      text(group, 14, 30, `No result here says its ${seen.acrossLabel}.`, { fill: colours.ink });
      return 50;
    }
    const box = { left: 66, right: width < 560 ? 20 : 130, top: 28, bottom: 48 };
    const isName = typeof shown[0].x === "string", xs = shown.map((r) => r.x), toX = [box.left, width - box.right];
    const x = isName ? d3.scalePoint(seen.rounds, toX).padding(0.5) : scaleOf(xs, toX), y = scaleOf(shown.map((r) => r.value), [height - box.bottom, box.top]);
    axis(group.append("g").attr("transform", `translate(0,${height - box.bottom})`), x, "bottom", colours, seen.show);
    axis(group.append("g").attr("transform", `translate(${box.left},0)`), y, "left", colours, seen.show);
    text(group, 14, 16, seen.valueLabel, { fill: colours.muted, size: 12 });
    text(group, width - box.right, height - 10, seen.acrossLabel, { anchor: "end", fill: colours.muted, size: 12 });
    if (seen.front.length > 1) {
      const steps = d3.line().x((r) => x(r.x)).y((r) => y(r.value)).curve(d3.curveStepAfter);
      group.append("path").attr("d", steps(seen.front)).attr("fill", "none").attr("stroke", colours.muted).attr("stroke-dasharray", "5 4").attr("class", "front");
    }
    // Eight devices have a colour and a mark of their own, the others are grey.
    const devices = [...new Set(shown.map((r) => r.row.known("device")))], own = devices.slice(0, 8), kinds = symbols();
    for (const r of [...shown].reverse()) {
      const i = own.indexOf(r.row.known("device")), colour = i < 0 ? colours.muted : colours.series[i];
      mark(group, r, seen).append("path").attr("class", "shape").attr("transform", `translate(${x(r.x)},${y(r.value)})`)
        .attr("d", d3.symbol().type(kinds[Math.max(0, i)]).size(i < 0 ? 36 : 80)()).attr("fill", isHollow(r) ? colours.ground : colour).attr("stroke", colour).attr("stroke-width", 1.6);
    }
    const taken = [];
    own.forEach((device, i) => {
      const r = shown.find((p) => p.row.known("device") === device), px = x(r.x), py = y(r.value) + 4;
      const wide = 7.2 * device.length, start = px + 10 + wide < width ? px + 10 : px - 10 - wide;
      if (taken.some(([tx, ty, tw]) => Math.abs(ty - py) < 14 && start < tx + tw && tx < start + wide)) return;
      taken.push([start, py, wide]);
      text(group, start, py, device, { fill: colours.series[i], size: 12, weight: "bold" }).attr("stroke", colours.ground).attr("stroke-width", 4)
        .attr("stroke-linejoin", "round").attr("paint-order", "stroke");
    });
    return height;
  };

  abdb.draw = (seen, width, withWords) => frame(seen, width, withWords, seen.view === "points" ? points(seen) : bars(seen));

  abdb.saveSvg = (seen, name) => abdb.save(name, "image/svg+xml", new XMLSerializer().serializeToString(abdb.draw(seen, 960, true)));
  abdb.savePng = (seen, name) => {
    const svg = abdb.draw(seen, 960, true), image = new Image(), canvas = document.createElement("canvas");
    const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
    return new Promise((done) => {
      image.onload = () => {
        canvas.width = 2 * 960;
        canvas.height = 2 * Number(svg.getAttribute("height"));
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(url);
        canvas.toBlob((blob) => done(abdb.save(name, "image/png", blob)), "image/png");
      };
      image.src = url;
    });
  };
}
