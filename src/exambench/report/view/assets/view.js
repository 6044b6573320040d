// What the explorer does: it asks whether the page has changed, and moves what has, without touching anything else.
"use strict";
(() => {
  const LIVE = "[data-live], #board tbody, #board tfoot, main > ul.notes";
  const watch = document.getElementById("watch");
  const strip = document.getElementById("strip");
  let pause = Number(watch?.dataset.poll ?? 3000);

  // ---------------------------------------------------------------- one tree made like another

  const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.dataset?.key || node.id || null : null);
  const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  function attributes(old, fresh) {
    for (const { name } of [...old.attributes]) {
      // A fold that the reader has opened stays open.
      if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }

  /** Makes the children of a node those of another one; nodes that are there already stay, with focus and scroll. */
  function children(old, fresh) {
    const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
    let place = old.firstChild;
    for (const wanted of [...fresh.childNodes]) {
      const key = keyOf(wanted);
      let found = key === null ? place : keyed.get(key);
      if (key === null) while (found && keyOf(found) !== null) found = found.nextSibling;
      if (found && alike(found, wanted)) {
        if (found !== place) old.insertBefore(found, place);
        else place = place.nextSibling;
        same(found, wanted);
      } else {
        old.insertBefore(document.importNode(wanted, true), place);
      }
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  function same(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = fresh.nodeValue;
      return;
    }
    attributes(old, fresh);
    children(old, fresh);
  }

  // ---------------------------------------------------------------- has anything changed?

  const liveIn = (root) => [...root.querySelectorAll(LIVE)];
  const heads = (root) => root.querySelectorAll("#board thead th").length;
  const namesOf = (parts) => parts.map((part) => part.id || part.nodeName).join("|");

  /** Moves what has changed; returns whether the page has the same parts as before. */
  function show(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const [now, next] = [liveIn(document), liveIn(fresh)];
    if (namesOf(now) !== namesOf(next) || heads(document) !== heads(fresh)) return false;
    const focused = document.activeElement;
    now.forEach((part, place) => same(part, next[place]));
    pause = Number(fresh.getElementById("watch")?.dataset.poll ?? pause);
    pictures();
    document.dispatchEvent(new CustomEvent("exambench:changed"));
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    document.documentElement.dataset.changes = String(Number(document.documentElement.dataset.changes ?? 0) + 1);
    return true;
  }

  function offer() {
    if (!strip) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = strip.dataset.load;
    button.addEventListener("click", () => location.reload());
    strip.replaceChildren(`${strip.dataset.more} `, button);
    strip.hidden = false;
    stopped = true;
  }

  function lost() {
    if (!strip) return;
    strip.textContent = strip.dataset.lost;
    strip.hidden = false;
  }

  let etag = null;
  let stopped = false;
  let failures = 0;

  async function ask() {
    const headers = etag ? { "If-None-Match": etag } : {};
    const address = location.href.split("#")[0];
    const response = await fetch(address, { headers, cache: "no-store", redirect: "error" });
    failures = 0;
    if (strip && !stopped) strip.hidden = true;
    if (response.status === 304) return;
    const trouble = document.getElementById("reason");
    const isPage = response.status === 200;
    if (isPage && trouble) return location.reload();
    if (!isPage) return trouble || response.ok ? undefined : lost();
    const html = await response.text();
    if (address !== location.href.split("#")[0]) return; // the reader has chosen something else meanwhile
    etag = response.headers.get("ETag");
    if (!show(html)) offer();
  }

  async function watchOn() {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, pause * Math.min(1 + failures, 10)));
      if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
      try {
        await ask();
      } catch {
        failures += 1;
        lost();
      }
    }
  }

  // ---------------------------------------------------------------- keys, filters, pictures

  const BUSY = "input, select, textarea, button, summary, [tabindex='0']";

  function step(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (event.target.closest?.(BUSY)) return;
    const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const link = way && document.querySelector(`#steps a[rel=${way}], #turn a[rel=${way}]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  }

  /** A choice is shown at once and stands in the address, which leaves out what is as it is by default. */
  function filters(form) {
    async function apply() {
      const chosen = [...new FormData(form)].filter(([name, value]) => value && !(name === "order" && value === "exam"));
      const query = new URLSearchParams(chosen).toString();
      const address = location.pathname + (query ? `?${query}` : "");
      if (address === location.pathname + location.search) return;
      history.pushState(null, "", address);
      for (const link of document.querySelectorAll("a[data-language]")) link.search = location.search;
      etag = null;
      try {
        await ask();
      } catch {
        location.reload();
      }
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      apply();
    });
    form.addEventListener("change", apply);
    addEventListener("popstate", () => location.reload());
    const boxes = [...form.querySelectorAll("input[type=checkbox], input[type=radio]")];
    if (boxes.some((box) => box.checked !== box.defaultChecked)) apply(); // chosen before this ran
  }

  function pictures() {
    for (const image of document.querySelectorAll(".shown-picture img")) {
      const missing = image.closest("figure").querySelector(".missing");
      const tell = () => {
        image.hidden = true;
        missing.hidden = false;
      };
      if (image.complete && !image.naturalWidth && image.currentSrc) tell();
      else image.addEventListener("error", tell, { once: true });
    }
  }

  document.addEventListener("keydown", step);
  const form = document.getElementById("filters");
  if (form) filters(form);
  pictures();
  watchOn();
})();
