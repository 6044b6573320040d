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
    const rows = rowsOf(table);
    const heads = [...table.tHead.rows[0].cells];
    const axisHeads = heads.filter((head) => head.matches(".axis"));
    const guesses = [...table.querySelectorAll("tfoot .axis")];
    const tabs = [...document.querySelectorAll("#metrics button")];
    const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
    let metric = 0;
    let sort = { by: "lead", descending: true };

    const valueOf = (row, by) => row.values[by === "lead" ? metric : Number(by)];

    /** Models without a value stand last, whichever way the others are sorted. */
    function compare(a, b) {
      if (sort.by === "name") return (sort.descending ? -1 : 1) * collator.compare(a.name, b.name) || a.place - b.place;
      const [x, y] = [valueOf(a, sort.by), valueOf(b, sort.by)];
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
        made("b", {}, percent(value)),
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
    order();
    filter();
    table.dataset.ready = "";
  }

  theme();
  languages();
  const table = document.getElementById("board");
  if (table) board(table);
})();
