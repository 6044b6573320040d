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

  theme();
  languages();
})();
