/** Minimum contrast ratio of text by WCAG 2.2, level AA. */

export const MIN_CONTRAST_RATIO = 4.5;

/**
 * Backgrounds of accent-coloured text in each scheme, by their names in error messages: `paper`, `raised`, `sunken` and
 * the soft tone of the style sheets. null: the background is computed from the accent by `softTone`.
 */
const GROUNDS = {
  light: {
    "the page": "#f8f7f4",
    "a card": "#ffffff",
    "a shaded area": "#f1efea",
    "its own light tint": null,
  },
  dark: { "the page": "#0f1012", "a card": "#16171a", "a shaded area": "#1c1e21", "its own dark tint": null },
} as const;
/** Text colour on a button in the accent colour, for each scheme. */
const BUTTON_TEXT = { light: "#ffffff", dark: "#0f1012" } as const;
/** Mixture of the soft tone in each scheme: `share` (0..1) of the accent, and `ground` for the rest. */
const SOFT = { light: { share: 0.1, ground: "#ffffff" }, dark: { share: 0.16, ground: "#16171a" } } as const;

export type ColourScheme = keyof typeof GROUNDS;

const channels = (hex: string) => [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));

/** Relative luminance as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colours, 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The background of badges and selected text: the accent mixed with the ground colour of the scheme. */
export function softTone(scheme: ColourScheme, accent: string): string {
  const { share, ground } = SOFT[scheme];
  const under = channels(ground);
  const mixed = channels(accent).map((channel, i) =>
    Math.round(share * channel + (1 - share) * (under[i] ?? 0)),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Why an accent colour is unusable in a scheme, with its lowest contrast ratio; null: it is usable. */
export function accentProblem(scheme: ColourScheme, accent: string): string | null {
  const pairs = [
    ...Object.entries(GROUNDS[scheme]).map(
      ([name, ground]) => [`on ${name}`, contrastRatio(accent, ground ?? softTone(scheme, accent))] as const,
    ),
    ["with the text of a button", contrastRatio(accent, BUTTON_TEXT[scheme])] as const,
  ];
  const [where, ratio] = pairs.reduce((worst, pair) => (pair[1] < worst[1] ? pair : worst));
  if (ratio >= MIN_CONTRAST_RATIO) return null;
  // Rounded down, because 4.499 must not read as 4.5.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return `has a contrast of ${shown} to 1 ${where} in the ${scheme} scheme; text needs ${MIN_CONTRAST_RATIO} to 1`;
}
