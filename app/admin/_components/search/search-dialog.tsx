"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { cleanPastedKey, isKeyShaped, keyHint } from "@/lib/access/keys/key-text";
import type { SearchResult } from "@/lib/admin/search";
import { adminPaths } from "@/lib/paths";
import { FoundLine } from "./found-line";
import { OPENS_SEARCH } from "./opens-search";

const PAUSE_MS = 120;

/** The search dialog on every page: Ctrl K, or a click on the search link. */
export function SearchDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const router = useRouter();
  const listId = useId();
  const [query, setQuery] = useState("");
  const [answer, setAnswer] = useState<{ to: string; found: SearchResult[] } | null>(null);
  const [chosen, setChosen] = useState(0);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    const open = () => {
      if (!dialog.current?.open) dialog.current?.showModal();
    };
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      open();
    };
    const click = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || !event.target.closest(`[${OPENS_SEARCH}]`)) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    };
    // Listens on `window`, because React stops events at `document` during hydration.
    window.addEventListener("keydown", press, true);
    window.addEventListener("click", click, true);
    return () => {
      window.removeEventListener("keydown", press, true);
      window.removeEventListener("click", click, true);
    };
  }, []);

  useEffect(() => {
    // A complete key must not appear in an address, so only its hint is searched.
    const key = cleanPastedKey(query);
    const words = isKeyShaped(key) ? keyHint(key) : query.trim();
    if (words === "") return setAnswer(null);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const response = await fetch(adminPaths.searchFound({ q: words }), {
          signal: stop.signal,
          redirect: "error",
        });
        if (!response.ok) throw new Error(String(response.status));
        // The response is written by this project's handler.
        const { found } = (await response.json()) as { found: SearchResult[] };
        setAnswer({ to: query.trim(), found });
        setChosen(0);
        setFailed(false);
      } catch {
        if (!stop.signal.aborted) setFailed(true);
      }
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [query]);

  const found = answer?.found ?? [];
  const go = (href: string) => {
    dialog.current?.close();
    router.push(href);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    }
    if (event.key === "Escape") {
      // A browser's search field takes the first Escape to clear itself.
      event.preventDefault();
      dialog.current?.close();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      const one = found[chosen];
      if (one && answer?.to === query.trim()) go(one.href);
      else go(adminPaths.search({ q: query.trim() }));
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Search"
      onClose={() => setQuery("")}
      className="mx-auto mt-[12vh] w-[min(36rem,calc(100vw-2rem))] rounded-lg border bg-raised p-0 text-ink shadow-float"
    >
      <div className="p-3">
        <input
          type="search"
          role="combobox"
          aria-label="Search people, keys, payments, tickets, request ids, pages"
          aria-expanded={found.length > 0}
          aria-controls={listId}
          aria-activedescendant={found.length > 0 ? `${listId}-${chosen}` : undefined}
          placeholder="Name, address, key, invoice, ticket, page"
          autoComplete="off"
          spellCheck={false}
          value={query}
          maxLength={200}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={press}
          className="h-11 w-full rounded-md border bg-paper px-3 text-base placeholder:text-faint"
        />
        <div id={listId} role="listbox" aria-label="Found" className="mt-2 max-h-[50vh] overflow-y-auto">
          {found.map((one, index) => (
            // The focus stays in the field, and keys choose the result, so the links need no tab stop.
            <a
              key={`${one.kind}${one.href}${one.title}${one.note}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === chosen}
              tabIndex={-1}
              href={one.href}
              onClick={(event) => {
                event.preventDefault();
                go(one.href);
              }}
              className="flex min-h-11 items-center gap-3 rounded-md px-3 py-1.5 aria-selected:bg-sunken"
            >
              <FoundLine found={one} />
            </a>
          ))}
        </div>
        <p role="status" className="px-3 pt-2 text-xs text-muted">
          {failed
            ? "The search did not respond. Press Enter to open the search page."
            : answer && found.length === 0
              ? "Nothing found. Press Enter for the full search."
              : "Up and down choose, Enter opens, Escape closes."}
        </p>
      </div>
    </dialog>
  );
}
