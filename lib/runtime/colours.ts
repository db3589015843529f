/** Colours of six hexadecimal digits, and whether text in them can be read (WCAG 2.2, contrast of 4.5 to 1). */

export const READABLE = 4.5;

/** What text in the accent stands on, and what stands on it, in each scheme; as the style sheets have them. */
const GROUNDS = {
  light: { paper: "#f8f7f4", raised: "#ffffff", sunken: "#f1efea", "its soft tone": null },
  dark: { paper: "#0f1012", raised: "#16171a", sunken: "#1c1e21", "its soft tone": null },
} as const;
const BUTTON_TEXT = { light: "#ffffff", dark: "#0f1012" } as const;
/** How much of the accent its soft tone has, and of what ground the rest is. */
const SOFT = { light: { share: 0.1, ground: "#ffffff" }, dark: { share: 0.16, ground: "#16171a" } } as const;

export type Scheme = keyof typeof GROUNDS;

const channels = (hex: string) => [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));

/** Relative luminance as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** How far two colours are apart, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The ground of badges and of chosen text, made of an accent. */
export function softTone(scheme: Scheme, accent: string): string {
  const { share, ground } = SOFT[scheme];
  const under = channels(ground);
  const mixed = channels(accent).map((channel, i) =>
    Math.round(share * channel + (1 - share) * (under[i] ?? 0)),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Why an accent cannot be used in a scheme, with the ratio; null: it can. */
export function accentProblem(scheme: Scheme, accent: string): string | null {
  const pairs = [
    ...Object.entries(GROUNDS[scheme]).map(
      ([name, ground]) => [`on ${name}`, contrast(accent, ground ?? softTone(scheme, accent))] as const,
    ),
    ["under the text of a button", contrast(accent, BUTTON_TEXT[scheme])] as const,
  ];
  const [where, ratio] = pairs.reduce((worst, pair) => (pair[1] < worst[1] ? pair : worst));
  if (ratio >= READABLE) return null;
  // Rounded down: 4.499 must not be shown as enough.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return `has a contrast of ${shown} to 1 ${where} in the ${scheme} scheme; text needs ${READABLE} to 1`;
}
