// Light or dark before anything is drawn, so that the page does not flash. Not a module: modules run later.

(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("hashlearn-theme") ?? "auto";
  } catch {
    // Storage may be disabled.
  }
  const apply = () => {
    const dark = chosen === "auto" ? system.matches : chosen === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.dispatchEvent(new Event("themechange")); // canvases draw themselves again
  };
  system.addEventListener("change", apply);
  document.addEventListener("themechosen", ({ detail }) => {
    chosen = detail;
    apply();
  });
  apply();
})();
