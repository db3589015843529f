// What public pages do in the browser, all of it: keep a chosen theme and copy a text. Everything works on elements
// that say so by an attribute, so that it serves pages with and without the framework's own script.
const SHOW_RESULT_MS = 2000;
const ONE_YEAR_SECONDS = 31_536_000;

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-theme-choice]")) return;
  const root = document.documentElement;
  if (target.value === "system") delete root.dataset.theme;
  else root.dataset.theme = target.value;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that people still use
  document.cookie = `theme=${target.value}; path=/; max-age=${ONE_YEAR_SECONDS}; samesite=lax`;
});

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-copy]") : null;
  const word = button?.querySelector("[data-copy-word]");
  if (!button || !word) return;
  const show = (state, text) => {
    button.dataset.copied = state;
    word.textContent = text;
  };
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    show("yes", "Copied");
  } catch {
    // No permission, or a page without TLS: the text stays selectable beside the button.
    show("no", "Press Ctrl+C");
  }
  setTimeout(() => {
    delete button.dataset.copied;
    word.textContent = "Copy";
  }, SHOW_RESULT_MS);
});
