// Small scripts for every page: keep the chosen theme, copy a text, send a form once.
// Loaded before the page is painted, so that visible controls work.

const on = (type, act) => window.addEventListener(type, act, true);

const SHOW_RESULT_MS = 2000;
const ONE_YEAR_SECONDS = 31_536_000;

on("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-theme-choice]")) return;
  const root = document.documentElement;
  if (target.value === "system") delete root.dataset.theme;
  else root.dataset.theme = target.value;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that people still use
  document.cookie = `theme=${target.value}; path=/; max-age=${ONE_YEAR_SECONDS}; samesite=lax`;
});

// Times on the local clock need this device's time zone.
on("submit", ({ target }) => {
  for (const field of target.querySelectorAll("[data-time-zone]"))
    field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
});

// A link to another view of the same page, such as another order of a table, keeps the scroll position.
on("click", ({ target }) => {
  const link = target instanceof Element ? target.closest("a[data-keeps-scroll]") : null;
  if (!link) return;
  try {
    sessionStorage.setItem("scroll", JSON.stringify([link.pathname, scrollX, scrollY]));
  } catch {} // Without storage the next page begins at its top.
});

function keepScroll() {
  const [path, x, y] = JSON.parse(sessionStorage.getItem("scroll") ?? "[]");
  sessionStorage.removeItem("scroll");
  if (path === location.pathname && location.hash === "") scrollTo(x, y);
}

// One example language for all pages, remembered in the browser.
function showLanguage(language) {
  for (const choice of document.querySelectorAll("[data-language-choice]"))
    if (choice.value === language) choice.checked = true;
}

on("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-language-choice]")) return;
  showLanguage(target.value);
  try {
    localStorage.setItem("language", target.value);
  } catch {} // Without storage the choice lasts for this page.
});

// Opens and closes dialogs in browsers without Invoker Commands (Safari before 26.2).
const opensDialogs = "commandForElement" in HTMLButtonElement.prototype;

on("click", ({ target }) => {
  const button = !opensDialogs && target instanceof Element ? target.closest("button[commandfor]") : null;
  const dialog = button && document.getElementById(button.getAttribute("commandfor"));
  if (!(dialog instanceof HTMLDialogElement)) return;
  if (button.getAttribute("command") === "close") dialog.close();
  else if (!dialog.open) dialog.showModal();
});

// A dialog that was closed without an answer loses its typed text.
document.addEventListener("close", ({ target }) => target.querySelector?.("[name=typed_word]")?.form.reset(), true);

on("click", async (event) => {
  const { target } = event;
  const button = target instanceof Element ? target.closest("[data-copy], [data-copy-from]") : null;
  const word = button?.querySelector("[data-copy-word]");
  if (!button || !word) return;
  const { copyFrom } = button.dataset;
  // Copies the text of another address; without a clipboard the link opens it.
  if (copyFrom) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !navigator.clipboard) return;
    event.preventDefault();
  }
  const show = (state, text) => {
    button.dataset.copied = state;
    word.textContent = text;
  };
  try {
    await navigator.clipboard.writeText(copyFrom ? await textAt(copyFrom) : button.dataset.copy);
    show("yes", "Copied");
  } catch {
    if (copyFrom) return location.assign(copyFrom);
    // Without permission or without TLS: the text next to the button can still be selected.
    show("no", "Press Ctrl+C");
  }
  setTimeout(() => {
    delete button.dataset.copied;
    word.textContent = word.dataset.copyWord || "Copy";
  }, SHOW_RESULT_MS);
});

async function textAt(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

// A second click before the response would act twice: a second key, a second mail. If the user stops the navigation, the
// form can be sent again after this time.
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

// A page restored from the back/forward cache can send its forms again, and its filters are those of its address.
addEventListener("pageshow", ({ persisted }) => {
  sentForms.clear();
  if (persisted) for (const form of document.querySelectorAll("search form")) form.reset();
});

// Ages grow while a page is open: `data-age-seconds` is the age at the time of rendering.
const SECOND_MS = 1000;
const JUST_NOW_SECONDS = 5;
const countedFrom = new WeakMap();

function ageWords(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ""}`;
}

function growAges() {
  for (const element of document.querySelectorAll("[data-age-seconds]")) {
    // Elements without a start time are as old as the page.
    if (!countedFrom.has(element)) countedFrom.set(element, 0);
    const seconds = Number(element.dataset.ageSeconds) + (performance.now() - countedFrom.get(element)) / SECOND_MS;
    element.textContent = seconds < JUST_NOW_SECONDS ? "just now" : `${ageWords(seconds)} ago`;
  }
}

// `data-fresh` is a part that is fetched again after that many seconds while it is visible. After a failure it stays, and
// its age keeps growing.
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
    // Without a network the next interval tries again.
  }
}

// Search of the documentation during typing: `/` focuses the field, arrows move through the results, Escape returns.
const TYPING_MS = 120;

function searchWhileTyping(form) {
  const field = form.querySelector("input");
  const found = form.querySelector("[data-docs-found]");
  let timer;
  let asked = 0;
  const close = () => {
    asked += 1;
    found.hidden = true;
  };
  async function look() {
    const query = field.value.trim();
    if (query === "") return close();
    const mine = ++asked;
    try {
      const html = await textAt(`${form.getAttribute("action")}?q=${encodeURIComponent(query)}`);
      const results = new DOMParser().parseFromString(html, "text/html").querySelector("[data-docs-results]");
      if (mine !== asked || !results) return;
      found.replaceChildren(...results.childNodes);
      found.hidden = false;
    } catch {
      // Without a network the form still opens the search page.
    }
  }
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, TYPING_MS);
  });
  on("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
  form.addEventListener("keydown", (event) => {
    const places = found.hidden ? [] : [...found.querySelectorAll("a")];
    if (event.key === "Escape") {
      close();
      field.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && places.length > 0) {
      event.preventDefault();
      const at = places.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      (places[at] ?? field).focus();
    } else if (event.key === "Enter" && document.activeElement === field && places.length > 0) {
      event.preventDefault();
      places[0].click();
    }
  });
  form.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-docs-found] a")) close();
  });
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
}

// A crosshair along a curve: by pointer, finger or arrow keys. `data-curve` has the position of each point, and the
// figure's table its text.
function curveOf(element) {
  const places = element.dataset.curve.split(" ").map((place) => place.split(","));
  const figure = element.closest("figure");
  const table = element.dataset.curveTable
    ? JSON.parse(element.dataset.curveTable)
    : [...figure.querySelectorAll("details tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
  return { places, table };
}

function pointAt(element, index) {
  const { places, table } = curveOf(element);
  const [x, y] = places[index] ?? [];
  const cross = element.querySelector("[data-curve-cross]");
  const says = element.querySelector("[data-curve-says]");
  if (!y) return;
  const [line, dot] = cross.firstElementChild.children;
  const share = `${Number(x) * 100}%`;
  line.setAttribute("x1", share);
  line.setAttribute("x2", share);
  dot.setAttribute("cx", share);
  dot.setAttribute("cy", y);
  const [[, ...names] = [], ...rows] = table;
  const [time = "", ...values] = rows[index] ?? [];
  says.textContent = [time, ...values.map((value, at) => value && `${names[at]}: ${value}`)].filter(Boolean).join(" · ");
  says.style.left = Number(x) < 0.5 ? "auto" : "";
  says.style.right = Number(x) < 0.5 ? "0.25rem" : "";
  cross.hidden = false;
  says.hidden = false;
  element.dataset.curveAt = String(index);
}

function leaveCurve(element) {
  element.querySelector("[data-curve-cross]").hidden = true;
  element.querySelector("[data-curve-says]").hidden = true;
}

function nearestPoint(element, share) {
  const { places } = curveOf(element);
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  places.forEach(([x, y], index) => {
    const distance = Math.abs(Number(x) - share);
    if (y && distance < least) {
      nearest = index;
      least = distance;
    }
  });
  return nearest;
}

const curveUnder = (target) => (target instanceof Element ? target.closest("[data-curve]") : null);
let pointedAt = null;

function followPointer({ target, clientX }) {
  const element = curveUnder(target);
  if (pointedAt && pointedAt !== element) leaveCurve(pointedAt);
  pointedAt = element;
  if (!element) return;
  const { left, width } = element.getBoundingClientRect();
  pointAt(element, nearestPoint(element, (clientX - left) / width));
}

document.addEventListener("pointermove", followPointer);
// A tap fires no pointermove.
document.addEventListener("pointerdown", followPointer);

on("keydown", (event) => {
  const element = curveUnder(event.target);
  if (!element) return;
  const last = element.dataset.curve.split(" ").length - 1;
  const at = Number(element.dataset.curveAt ?? last);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: last }[event.key];
  if (event.key === "Escape") leaveCurve(element);
  if (to === undefined) return;
  event.preventDefault();
  pointAt(element, Math.max(0, Math.min(last, to)));
});

document.addEventListener("focusout", ({ target }) => {
  const element = curveUnder(target);
  if (element) leaveCurve(element);
});

// These functions need the whole document.
document.addEventListener("DOMContentLoaded", () => {
  try {
    showLanguage(localStorage.getItem("language"));
    keepScroll();
  } catch {} // Without storage nothing is remembered.
  if (document.querySelector("[data-age-seconds]")) setInterval(growAges, SECOND_MS);
  for (const part of document.querySelectorAll("[data-fresh]"))
    setInterval(() => renew(part), Number(part.dataset.fresh) * SECOND_MS);
  const searchForm = document.querySelector("[data-docs-search]");
  if (searchForm) searchWhileTyping(searchForm);
});
