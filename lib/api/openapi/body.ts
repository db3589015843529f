import { type BodyWithEtag, withEtag } from "@/lib/api/conditional";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { makeOpenApiDocument } from "./document";
import type { Operation } from "./operation";

/** The OpenAPI document as a body with its entity tag, cached until the service's name or support address changes. */
export function getOpenApiBody(operations: readonly Operation[]): BodyWithEtag {
  const kept = processWide<{ of: string; body: BodyWithEtag | null }>("openapi", () => ({
    of: "",
    body: null,
  }));
  const { name, supportAddress } = brand();
  const of = `${name}\n${supportAddress}`;
  if (kept.body !== null && kept.of === of) return kept.body;
  const body = withEtag(
    JSON.stringify(makeOpenApiDocument(operations, env().baseUrl, { name, supportAddress })),
  );
  Object.assign(kept, { of, body });
  return body;
}
