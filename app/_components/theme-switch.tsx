"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { THEMES, type Theme } from "./theme";

const STYLES = {
  system: { icon: Monitor, word: "As this device" },
  light: { icon: Sun, word: "Light" },
  dark: { icon: Moon, word: "Dark" },
} as const;

/** The theme choice. `public/enhance.js` applies it at once and stores it in a cookie that the server reads. */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  const name = useId();
  return (
    // Each switch has its own form, because a page contains two, and radio buttons with the same name in one form exclude
    // each other.
    <form className="inline-flex noscript:hidden">
      <fieldset className="inline-flex rounded-md border bg-raised p-0.5">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((value) => {
          const { icon: Icon, word } = STYLES[value];
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
                defaultChecked={theme === value}
                data-theme-choice=""
                className="sr-only"
              />
              <Icon aria-hidden="true" className="size-3.5" />
              <span className="sr-only">{word}</span>
            </label>
          );
        })}
      </fieldset>
    </form>
  );
}
