import type { ServiceHealthReason } from "@/lib/market/assess-slots";

/** A reason on the wire and in the database: `code: text`. */
export function formatReason({ code, text }: ServiceHealthReason): string {
  return code === "" ? text : `${code}: ${text}`;
}

/** The reasons of an answer; null: none. */
export function formatReasons(reasons: readonly ServiceHealthReason[]): string[] | null {
  return reasons.length === 0 ? null : reasons.map(formatReason);
}

/** Parses a stored reason. */
export function parseReason(stored: string): ServiceHealthReason {
  const { code = "", text = stored } = /^(?<code>[a-z0-9_]+): (?<text>.*)$/s.exec(stored)?.groups ?? {};
  return { code, text };
}

/** A reason as a sentence. */
export function reasonSentence({ text }: ServiceHealthReason): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
