import { env } from "@/lib/runtime/env";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { SECOND_MS } from "@/lib/time";
import { getJson } from "./get-json";
import { FeedFailure } from "./source";

const DEADLINE_MS = 10 * SECOND_MS;

/** Makes a request to OANDA with the stored token. Returns why the token does not work; null: it works. */
export async function checkOandaToken(): Promise<string | null> {
  const token = serviceSecret("OANDA_TOKEN");
  if (token === null) return "there is no token";
  try {
    const url = new URL(`${env().oandaApiRoot}/v3/accounts`);
    await getJson(url, { Authorization: `Bearer ${token}` }, AbortSignal.timeout(DEADLINE_MS));
    return null;
  } catch (error) {
    return error instanceof FeedFailure ? error.message : "there was no answer";
  }
}
