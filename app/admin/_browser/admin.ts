/**
 * The browser script of every page of the administrator's area: the search dialog, the ticking of all rows of a list,
 * the removal of complete keys from searches, and the check of the session before a form is sent.
 */
import { checkSessionBeforeSending } from "@/app/_browser/unsent";
import { cleanPastedKey, isKeyShaped, keyHint } from "@/lib/access/keys/key-text";
import type { SearchResult } from "@/lib/admin/search";
import { adminPaths } from "@/lib/paths";

const PAUSE_MS = 120;

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-tick-all]")) return;
  for (const box of target.form?.querySelectorAll<HTMLInputElement>('input[name="ids"]') ?? [])
    box.checked = target.checked;
});

/** A complete key must not appear in an address, so only its hint is searched. */
function withoutKey(query: string): string {
  const key = cleanPastedKey(query);
  return isKeyShaped(key) ? keyHint(key) : query.trim();
}

document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || target.method !== "get") return;
  const field = target.elements.namedItem("q");
  if (field instanceof HTMLInputElement) field.value = withoutKey(field.value);
});

// The search without a word only checks the session.
checkSessionBeforeSending({ address: adminPaths.searchFound({ q: "" }) });

const dialog = document.querySelector<HTMLDialogElement>("[data-search-dialog]");
const field = dialog?.querySelector("input");
const list = dialog?.querySelector<HTMLElement>("[role=listbox]");
if (dialog && field && list) searchIn(dialog, field, list);

/** Searches while the administrator types; opens with Ctrl K, or a click on the search link. */
function searchIn(dialog: HTMLDialogElement, field: HTMLInputElement, list: HTMLElement): void {
  let answeredFor: string | null = null;
  let chosen = 0;
  let pending = new AbortController();

  const say = (which: "help" | "nothing" | "failed") => {
    for (const text of dialog.querySelectorAll<HTMLElement>("[data-search-says]"))
      text.hidden = text.dataset.searchSays !== which;
  };
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>("a")];

  function choose(index: number): void {
    chosen = index;
    for (const [at, option] of options().entries()) {
      option.ariaSelected = String(at === chosen);
      if (at !== chosen) continue;
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }
  }

  function show(found: readonly SearchResult[]): void {
    list.replaceChildren(...found.flatMap((one, index) => optionOf(dialog, one, `${list.id}-${index}`)));
    field.ariaExpanded = String(found.length > 0);
    field.removeAttribute("aria-activedescendant");
    choose(0);
  }

  async function look(): Promise<void> {
    pending.abort();
    pending = new AbortController();
    const { signal } = pending;
    const query = field.value.trim();
    if (query === "") {
      answeredFor = null;
      show([]);
      return say("help");
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (signal.aborted) return;
    try {
      const to = adminPaths.searchFound({ q: withoutKey(query) });
      const response = await fetch(to, { signal, redirect: "error" });
      if (!response.ok) throw new Error(String(response.status));
      // The response comes from this project's handler, so its shape is known.
      const { found } = (await response.json()) as { found: SearchResult[] };
      answeredFor = query;
      show(found);
      say(found.length > 0 ? "help" : "nothing");
    } catch {
      if (!signal.aborted) say("failed");
    }
  }

  field.addEventListener("input", look);
  field.addEventListener("keydown", (event) => {
    const found = options();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      choose((chosen + step + found.length) % found.length);
    } else if (event.key === "Escape") {
      // A browser's search field takes the first Escape to clear itself.
      event.preventDefault();
      dialog.close();
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const query = field.value.trim();
      const one = answeredFor === query ? found[chosen] : undefined;
      window.location.assign(one?.href ?? adminPaths.search({ q: withoutKey(query) }));
      dialog.close();
    }
  });
  dialog.addEventListener("close", () => {
    field.value = "";
    void look();
  });

  const open = (event: Event) => {
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) open(event);
  });
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-opens-search]")) return;
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) open(event);
  });
}

/** The list element of a search result, cloned from the template of the result's kind. */
function optionOf(
  dialog: HTMLDialogElement,
  { kind, href, title, note }: SearchResult,
  id: string,
): Element[] {
  const template = dialog.querySelector<HTMLTemplateElement>(`template[data-search-kind="${kind}"]`);
  const option = template?.content.firstElementChild?.cloneNode(true);
  if (!(option instanceof HTMLAnchorElement)) return [];
  option.id = id;
  option.href = href;
  for (const [name, text] of Object.entries({ title, note })) {
    const part = option.querySelector(`[data-search-${name}]`);
    if (part) part.textContent = text;
  }
  return [option];
}
