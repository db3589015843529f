import type { ServiceHealthReason } from "@/lib/market/assess-slots";

/** A reason on the wire and in the database: `code: text`. */
export function formatReason({ code, text }: ServiceHealthReason): string {
  return code === "" ? text : `${code}: ${text}`;
}

/** Reasons of components, as stored with a probe: the code is the name of the component. */
export function formatComponentReasons(
  components: readonly { name: string; reason: string | null }[],
): string[] {
  return components.flatMap(({ name, reason }) =>
    reason === null ? [] : [formatReason({ code: name, text: reason })],
  );
}

/** The reasons of a component that a probe stored; those of the service if the component has none. */
export function reasonsOf(component: string, { reasons, components }: Probed): string[] {
  const own = reasons.filter((reason) => parseReason(reason).code === component);
  return own.length > 0 ? own : reasons.filter((reason) => !(parseReason(reason).code in components));
}

type Probed = { reasons: readonly string[]; components: Readonly<Record<string, unknown>> };

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
