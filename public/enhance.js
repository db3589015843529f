// What every page does in the browser, with and without the framework's own script: keep a chosen theme, copy a text,
// send a form once.
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

// The language in which examples are shown is one for all of them, and remembered.
function showLanguage(language) {
  for (const choice of document.querySelectorAll("[data-language-choice]"))
    if (choice.value === language) choice.checked = true;
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-language-choice]")) return;
  showLanguage(target.value);
  try {
    localStorage.setItem("language", target.value);
  } catch {} // A browser that keeps nothing shows the choice on this page only.
});

try {
  showLanguage(localStorage.getItem("language"));
} catch {}

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

// A second click while the answer is on its way would act twice: a second key, a second mail. Whoever stopped the page
// from loading may send again after a while.
const SEND_AGAIN_MS = 10_000;
const sentForms = new Set();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post" || event.defaultPrevented) return;
  if (sentForms.has(form)) event.preventDefault();
  else {
    sentForms.add(form);
    setTimeout(() => sentForms.delete(form), SEND_AGAIN_MS);
  }
});

// Back on a page that the browser had kept, its forms can be sent again.
addEventListener("pageshow", () => sentForms.clear());

// Ages grow while a page is open: `data-age-seconds` is how old something was when the page was made.
const SECOND_MS = 1000;
const countedFrom = new WeakMap();

function ageWords(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ""}`;
}

function growAges() {
  for (const element of document.querySelectorAll("[data-age-seconds]")) {
    // What came with the page is as old as the page.
    if (!countedFrom.has(element)) countedFrom.set(element, 0);
    const seconds = Number(element.dataset.ageSeconds) + (performance.now() - countedFrom.get(element)) / SECOND_MS;
    element.textContent = `${ageWords(seconds)} ago`;
  }
}

// `data-fresh` is a part that is fetched again every so many seconds while it is looked at. When that fails it stays as
// it is, and its age says so.
async function renew(part) {
  if (document.visibilityState !== "visible" || part.contains(document.activeElement)) return;
  try {
    const askedAt = performance.now();
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-fresh]");
    if (!made) return;
    for (const age of made.querySelectorAll("[data-age-seconds]")) countedFrom.set(age, askedAt);
    part.replaceChildren(...made.childNodes);
    growAges();
  } catch {
    // No network: the next time.
  }
}

if (document.querySelector("[data-age-seconds]")) setInterval(growAges, SECOND_MS);
for (const part of document.querySelectorAll("[data-fresh]"))
  setInterval(() => renew(part), Number(part.dataset.fresh) * SECOND_MS);
