import { type Tagged, taggedText } from "@/lib/api/conditional";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { makeOpenApiDocument } from "./document";

/** The description as it is served, made once per process. */
export function getOpenApiBody(): Tagged {
  return processWide("openapi", () => taggedText(JSON.stringify(makeOpenApiDocument(env().baseUrl))));
}
