// Before the first paint: the reader's theme, and the reader's language.
"use strict";
(() => {
  const remembered = (name) => {
    try {
      return localStorage.getItem(`exambench-${name}`);
    } catch {
      return null; // the reader forbids storage
    }
  };
  const theme = remembered("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const language = remembered("language");
  if (language && language !== document.documentElement.lang) {
    const other = [...document.querySelectorAll("link[rel=alternate][hreflang]")];
    const found = other.find((link) => link.hreflang === language);
    if (found) location.replace(found.href.split("?")[0] + location.search + location.hash);
  }
})();
