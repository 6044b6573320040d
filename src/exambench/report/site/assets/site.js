// What the pages do: theme, language, tables that sort and filter. No library, no request to anywhere else.
"use strict";
(() => {
  const remember = (name, value) => {
    try {
      localStorage.setItem(`exambench-${name}`, value);
    } catch {
      // The reader forbids storage; the choice holds for this page.
    }
  };

  // ---------------------------------------------------------------- theme and language

  function theme() {
    const root = document.documentElement;
    const button = document.getElementById("theme");
    const preference = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : preference.matches);
    const show = () => {
      button.textContent = isDark() ? button.dataset.light : button.dataset.dark;
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember("theme", root.dataset.theme);
      show();
    });
    preference.addEventListener("change", show);
    show();
    button.hidden = false;
  }

  function languages() {
    for (const link of document.querySelectorAll("a[data-language]")) {
      link.addEventListener("click", () => {
        remember("language", link.dataset.language);
        link.href = link.href.split("#")[0] + location.hash;
      });
    }
  }

  // ---------------------------------------------------------------- small helpers

  const percent = (share) => (100 * share).toFixed(1);
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);

  function drawn(name, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function made(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function bar(estimate, interval, chance) {
    const svg = drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(drawn("rect", { class: "track", width: 100, height: 10 }));
    if (interval.length) {
      const [low, high] = interval;
      svg.append(drawn("rect", { class: "band", x: 100 * low, width: 100 * (high - low), height: 10 }));
    }
    if (chance !== undefined) svg.append(drawn("path", { class: "chance", d: `M${100 * chance} 0v10` }));
    svg.append(drawn("path", { class: "estimate", d: `M${100 * estimate} 0v10` }));
    return svg;
  }

  // ---------------------------------------------------------------- a ranking

  const DASH = () => made("span", { class: "none" }, "–");

  /** The rows of a ranking, read once from the page. */
  function rowsOf(table) {
    return [...table.tBodies[0].rows].map((element, place) => {
      const cells = [...element.querySelectorAll("td.axis")];
      const heading = element.querySelector("th");
      return {
        element,
        place,
        placed: Boolean(cells[0]?.dataset.r),
        name: heading.querySelector("bdi").textContent,
        words: heading.textContent.toLowerCase(),
        traits: element.dataset.traits.split(" "),
        size: element.dataset.size === "" ? null : Number(element.dataset.size),
        rank: element.querySelector(".rank"),
        lead: element.querySelector(".lead"),
        cells,
        values: cells.map((cell) => (cell.dataset.v ? Number(cell.dataset.v) : null)),
      };
    });
  }

  function board(table) {
    let rows = rowsOf(table);
    const heads = [...table.tHead.rows[0].cells];
    const axisHeads = heads.filter((head) => head.matches(".axis"));
    const guesses = [...table.querySelectorAll("tfoot .axis")];
    const tabs = [...document.querySelectorAll("#metrics button")];
    const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
    const { factor, digits } = table.dataset;
    const shownScore = (share) => (factor * share).toFixed(digits);
    let metric = 0;
    let sort = { by: "lead", descending: true };

    const valueOf = (row, by) => row.values[by === "lead" ? metric : Number(by)];

    /** Runs without a place stand last, and before them those without a value, whichever way the others are sorted. */
    function compare(a, b) {
      if (sort.by === "name") return (sort.descending ? -1 : 1) * collator.compare(a.name, b.name) || a.place - b.place;
      const [x, y] = [valueOf(a, sort.by), valueOf(b, sort.by)];
      if (a.placed !== b.placed) return b.placed - a.placed;
      if (x === null || y === null) return (x === null) - (y === null) || a.place - b.place;
      return (sort.descending ? y - x : x - y) || a.place - b.place;
    }

    function order() {
      rows.sort(compare);
      table.tBodies[0].append(...rows.map((row) => row.element));
      for (const head of heads) {
        const by = head.dataset.sort;
        if (by === sort.by) head.setAttribute("aria-sort", sort.descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      }
    }

    function showRank(row) {
      const [rank, low, high] = row.cells[metric].dataset.r?.split(" ") ?? [];
      if (rank === undefined) return row.rank.replaceChildren(DASH());
      row.rank.replaceChildren(made("b", {}, rank));
      if (low !== undefined) row.rank.append(made("span", { class: "more" }, `${low}–${high}`));
    }

    function showLead(row, chance) {
      const cell = row.cells[metric];
      const value = row.values[metric];
      if (value === null) return row.lead.replaceChildren(DASH());
      row.lead.replaceChildren(
        made("b", {}, shownScore(value)),
        bar(value, numbers(cell.dataset.i), chance),
        made("span", { class: "more" }, cell.querySelector("i").textContent.trim()),
      );
    }

    function choose(chosen) {
      metric = chosen;
      tabs.forEach((tab, place) => tab.setAttribute("aria-pressed", String(place === metric)));
      document.getElementById("lead").textContent = tabs[metric].textContent;
      const guess = guesses[metric];
      const chance = guess?.dataset.chance ? Number(guess.dataset.chance) : undefined;
      const shown = document.getElementById("chance");
      if (shown) shown.textContent = guess?.textContent ?? "";
      for (const row of rows) {
        showRank(row);
        showLead(row, chance);
        row.cells.forEach((cell, place) => (cell.hidden = place === metric));
      }
      for (const cells of [axisHeads, guesses]) cells.forEach((cell, place) => (cell.hidden = place === metric));
      sort = { by: "lead", descending: true };
      order();
    }

    function filter() {
      const words = document.getElementById("search").value.trim().toLowerCase();
      const wanted = [...document.querySelectorAll("#controls input[name=trait]:checked")].map((box) => box.value);
      const [low, high] = numbers(document.getElementById("size")?.value);
      let count = 0;
      for (const row of rows) {
        const fits =
          row.words.includes(words) &&
          wanted.every((trait) => (trait[0] === "!" ? !row.traits.includes(trait.slice(1)) : row.traits.includes(trait))) &&
          (low === undefined || (row.size !== null && row.size > low && row.size <= high));
        row.element.hidden = !fits;
        count += fits;
      }
      const shown = document.getElementById("shown");
      shown.textContent = shown.dataset.text.replace("{n}", count).replace("{of}", rows.length);
      document.getElementById("nothing").hidden = count > 0;
    }

    /** Somebody has put newer rows into the table: what the reader chose holds for them too. */
    function renew() {
      rows = rowsOf(table);
      const kept = sort;
      choose(metric);
      sort = kept;
      order();
      filter();
    }

    for (const head of heads.filter((each) => each.dataset.sort)) {
      const by = head.dataset.sort;
      const button = made("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const again = sort.by === by;
        sort = { by, descending: again ? !sort.descending : by !== "name" };
        order();
      });
    }
    tabs.forEach((tab, place) => tab.addEventListener("click", () => choose(place)));
    const controls = document.getElementById("controls");
    controls.addEventListener("input", filter);
    controls.addEventListener("submit", (event) => event.preventDefault());
    controls.hidden = false;
    document.getElementById("metrics").hidden = false;
    document.addEventListener("exambench:changed", renew);
    order();
    filter();
    table.dataset.ready = "";
  }

  // ---------------------------------------------------------------- data that is loaded when it is needed

  const language = document.documentElement.lang;
  const waiting = new Map();
  window.exambench = { take: (name, value) => waiting.get(name)?.resolve(value) };

  /** Scores or pairs of a ranking: a script beside this one, since pages in a folder may load nothing else. */
  function load(name) {
    if (!waiting.has(name)) {
      const entry = {};
      entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      waiting.set(name, entry);
      const here = document.querySelector("script[src$='site.js']").src;
      const script = made("script", { src: new URL(`data/${name}.js`, here).href });
      script.addEventListener("error", () => entry.reject(new Error(`${name} could not be loaded`)));
      document.head.append(script);
    }
    return waiting.get(name).promise;
  }

  // ---------------------------------------------------------------- radar

  /** Points of a model on the spokes of a figure; a spoke without a score interrupts the line. */
  function outline(scores, metrics) {
    let path = "";
    let pen = "M";
    let broken = false;
    metrics.forEach((metric, place) => {
      const score = scores[metric];
      if (!score) {
        pen = "M";
        broken = true;
        return;
      }
      const angle = (2 * Math.PI * place) / metrics.length;
      path += `${pen}${(100 * score[0] * Math.sin(angle)).toFixed(2)} ${(-100 * score[0] * Math.cos(angle)).toFixed(2)}`;
      pen = "L";
    });
    return broken ? path : `${path}Z`;
  }

  function radarOf(metrics, models) {
    const shown = metrics.map((_, place) => place).filter((place) => models.every((model) => model.scores[place]));
    if (shown.length < 3) return null;
    const svg = drawn("svg", { viewBox: "-185 -135 370 270", "aria-hidden": "true" });
    const grid = drawn("g", { class: "grid" });
    const labels = drawn("g", { class: "labels" });
    for (const share of [0.25, 0.5, 0.75, 1]) grid.append(drawn("path", { d: outline(metrics.map(() => [share]), shown) }));
    shown.forEach((metric, place) => {
      const angle = (2 * Math.PI * place) / shown.length;
      const [x, y] = [Math.sin(angle), -Math.cos(angle)];
      grid.append(drawn("path", { d: `M0 0L${100 * x} ${100 * y}` }));
      const anchor = Math.abs(x) < 0.3 ? "middle" : x > 0 ? "start" : "end";
      labels.append(drawn("text", { x: 114 * x, y: 114 * y + 4, "text-anchor": anchor }, metrics[metric].short[language]));
    });
    svg.append(grid);
    models.forEach((model, number) =>
      svg.append(drawn("path", { class: number ? "second-shape" : "first", d: outline(model.scores, shown) })),
    );
    svg.append(labels);
    return made("figure", { class: "radar" }, svg);
  }

  /** A second model in the figure of a model's page. */
  function besides(part) {
    const choice = part.querySelector("select.other");
    if (!choice) return;
    const svg = part.querySelector(".radar svg");
    const link = part.querySelector(".versus");
    const address = link.getAttribute("href");
    const metrics = [...svg.querySelectorAll("text")].map((text) => Number(text.dataset.metric));
    choice.parentElement.hidden = false;
    choice.addEventListener("change", async () => {
      const { models } = await load(`${part.dataset.board}-scores`);
      svg.querySelector(".second-shape")?.remove();
      const other = models.find((model) => model.key === choice.value);
      link.hidden = !other;
      if (!other) return;
      link.href = `${address}#${part.dataset.board}/${part.dataset.model}/${other.key}`;
      svg.append(drawn("path", { class: "second-shape", d: outline(other.scores, metrics) }));
    });
  }

  // ---------------------------------------------------------------- two models

  const points = (share) => {
    const shown = percent(Math.abs(share));
    return Number(shown) === 0 ? shown : `${share < 0 ? "−" : "+"}${shown}`;
  };
  const shownP = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : p.toFixed(3));

  /** The place of a pair among (0, 1), (0, 2), …, (1, 2), …, and the sign that turns first less second into a less b. */
  function placeOf(count, a, b) {
    const [i, j] = a < b ? [a, b] : [b, a];
    return [i * count - (i * (i + 1)) / 2 + (j - i - 1), a < b ? 1 : -1];
  }

  function differenceBar(widest, estimate, low, high) {
    const at = (share) => (50 * share) / widest;
    const svg = drawn("svg", { class: "bar", viewBox: "-50 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(drawn("rect", { class: "track", x: -50, width: 100, height: 10 }));
    if (low !== null) svg.append(drawn("rect", { class: "band", x: at(low), width: at(high - low), height: 10 }));
    svg.append(drawn("path", { class: "zero", d: "M0 0v10" }), drawn("path", { class: "estimate", d: `M${at(estimate)} 0v10` }));
    return svg;
  }

  function comparison() {
    const texts = JSON.parse(document.getElementById("texts").textContent);
    const say = (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const choices = Object.fromEntries(["board", "a", "b"].map((name) => [name, document.getElementById(`pick-${name}`)]));
    const target = document.getElementById("pair");

    /** Differences on an axis: estimate, low, high; bounds are null where none are kept. */
    function differenceOn(pairs, axis, place, sign, scores) {
      const at = pairs.axes.indexOf(axis);
      if (at < 0) return [scores[0] - scores[1], null, null];
      const [estimate, low, high] = [pairs.estimate, pairs.low, pairs.high].map((each) => each[at][place] / pairs.unit);
      return sign > 0 ? [estimate, low, high] : [-estimate, -high, -low];
    }

    function sentences(a, b, pairs, place, sign, overall, difference) {
      const [estimate, low, high] = difference;
      const [leader, d, from, to] = estimate >= 0 ? [a, estimate, low, high] : [b, -estimate, -high, -low];
      const [x, y] = sign > 0 ? [pairs.onlyFirst, pairs.onlySecond] : [pairs.onlySecond, pairs.onlyFirst];
      const n = pairs.n[0];
      const told = [say("all_items_of", { n, a: a.name, b: b.name, x: percent(overall[0]), y: percent(overall[1]) })];
      const bounds = { low: points(from), high: points(to) };
      told.push(estimate === 0 ? say("tied", bounds) : say("ahead", { a: leader.name, d: percent(d), ...bounds }));
      told.push(
        say("tests", {
          a: a.name, b: b.name, x: x[place], y: y[place],
          p: shownP(pairs.p[place]), h: shownP(pairs.pHolm[place]), method: say(pairs.tests[pairs.test[place]]),
        }),
      );
      if (estimate !== 0) {
        const k = pairs.toFlip[place];
        told.push(k === null ? say("no_flip") : say("flip", { k, n }));
      }
      return told.map((sentence) => made("p", {}, sentence));
    }

    function tableOf(metrics, a, b, pairs, place, sign) {
      const head = made("tr", {});
      for (const [text, kind] of [[say("axis"), "words"], ["A", ""], ["B", ""], [say("difference"), ""], ["", "drawn"], [say("interval"), "words"], ["n", ""]]) {
        head.append(text ? made("th", { scope: "col", class: kind }, text) : made("td", { class: kind }));
      }
      const body = made("tbody", {});
      const rows = metrics
        .map((metric, number) => ({ metric, x: a.scores[number], y: b.scores[number] }))
        .filter(({ x, y }) => x && y)
        .map((row) => ({ ...row, found: differenceOn(pairs, row.metric.key, place, sign, [row.x[0], row.y[0]]) }));
      const widest = Math.max(0.2, ...rows.flatMap(({ found }) => found.map((end) => Math.abs(end ?? 0))));
      for (const { metric, x, y, found } of rows) {
        const [estimate, low, high] = found;
        const range = low === null ? "–" : say("between", { low: points(low), high: points(high) });
        const sure = low !== null && (low > 0 || high < 0);
        body.append(
          made(
            "tr", {},
            made("th", { scope: "row", class: "words" }, metric.titles[language]),
            made("td", {}, percent(x[0])),
            made("td", {}, percent(y[0])),
            made("td", {}, made(sure ? "b" : "span", {}, points(estimate))),
            made("td", { class: "words drawn" }, differenceBar(widest, estimate, low, high)),
            made("td", { class: "words more" }, range),
            made("td", {}, x[3] === y[3] ? x[3].toLocaleString("en") : `${x[3]} / ${y[3]}`),
          ),
        );
      }
      return made("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("difference") },
        made("table", { class: "scores" }, made("thead", {}, head), body));
    }

    function show(scores, pairs) {
      const [a, b] = [choices.a.value, choices.b.value].map((key) => scores.models.find((model) => model.key === key));
      history.replaceState(null, "", `#${choices.board.value}/${a.key}/${b.key}`);
      if (a === b) return target.replaceChildren(made("p", {}, say("compare_pick")));
      const [place, sign] = placeOf(pairs.models.length, pairs.models.indexOf(a.key), pairs.models.indexOf(b.key));
      const overall = [a.scores[0][0], b.scores[0][0]];
      const difference = differenceOn(pairs, scores.metrics[0].key, place, sign, overall);
      const told = made("div", { class: "told" }, ...sentences(a, b, pairs, place, sign, overall, difference));
      if (pairs.axes.length < 2) told.append(made("p", { class: "more" }, say("no_interval")));
      const beside = made("div", { class: "beside" });
      const radar = radarOf(scores.metrics, [a, b]);
      if (radar) beside.append(radar);
      beside.append(tableOf(scores.metrics, a, b, pairs, place, sign));
      target.replaceChildren(told, beside);
    }

    async function fill(wantedA, wantedB) {
      const key = choices.board.value;
      const [scores, pairs] = await Promise.all([load(`${key}-scores`), load(`${key}-pairs`)]);
      const models = scores.models.filter((model) => pairs.models.includes(model.key));
      for (const [choice, wanted, place] of [[choices.a, wantedA, 0], [choices.b, wantedB, 1]]) {
        choice.replaceChildren(...models.map((model) => made("option", { value: model.key }, model.name)));
        choice.value = models.some((model) => model.key === wanted) ? wanted : models[place].key;
        choice.onchange = () => show(scores, pairs);
      }
      show(scores, pairs);
    }

    const [board, a, b] = decodeURIComponent(location.hash.slice(1)).split("/");
    if ([...choices.board.options].some((option) => option.value === board)) choices.board.value = board;
    choices.board.addEventListener("change", () => fill(choices.a.value, choices.b.value));
    document.getElementById("pick").hidden = false;
    fill(a, b);
  }

  theme();
  languages();
  document.querySelectorAll("section.part").forEach(besides);
  if (document.getElementById("pick")) comparison();
  const table = document.getElementById("board");
  if (table) board(table);
})();
