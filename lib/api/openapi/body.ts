import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";
import { type Tagged, taggedText } from "../conditional";
import { makeOpenApiDocument } from "./document";

/** The description as it is served, made once per process. */
export function getOpenApiBody(): Tagged {
  return processWide("openapi", () => taggedText(JSON.stringify(makeOpenApiDocument(env().baseUrl))));
}
