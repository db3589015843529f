"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useId, useState } from "react";
import { THEME_COOKIE, THEMES, type Theme, themeAttribute } from "./theme";

const LOOK = {
  system: { icon: Monitor, word: "As this device" },
  light: { icon: Sun, word: "Light" },
  dark: { icon: Moon, word: "Dark" },
} as const;

const ONE_YEAR_SECONDS = 31_536_000;

/** The reader's choice, shown at once and kept in a cookie that the server reads for the next page. */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  const [chosen, setChosen] = useState(theme);
  const name = useId();

  function choose(next: Theme) {
    setChosen(next);
    const attribute = themeAttribute(next);
    if (attribute) document.documentElement.dataset.theme = attribute;
    else delete document.documentElement.dataset.theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in current Firefox and Safari releases
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${ONE_YEAR_SECONDS}; samesite=lax`;
  }

  return (
    <fieldset className="inline-flex rounded-md border bg-raised p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((value) => {
        const { icon: Icon, word } = LOOK[value];
        return (
          <label
            key={value}
            title={word}
            className="grid size-7 cursor-pointer place-items-center rounded-sm text-faint hover:text-ink has-checked:bg-sunken has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={chosen === value}
              onChange={() => choose(value)}
              className="sr-only"
            />
            <Icon aria-hidden="true" className="size-3.5" />
            <span className="sr-only">{word}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
