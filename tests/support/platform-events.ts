import { call, type TestApiAnswer } from "./api";
import { type DeliveryBody, type Platform, platformBytes, platformSignature } from "./platform-fixtures";

/** Sends a delivery of a platform, signed as that platform does. */
export async function deliverAs(
  platform: Platform,
  body: DeliveryBody,
  options: { secret?: string; at?: Date; nonce?: string } = {},
): Promise<TestApiAnswer> {
  const bytes = platformBytes(platform, body, options.nonce);
  const { headers, query } = platformSignature(platform, bytes, options);
  return call("POST", `/webhooks/payments/${platform}${query}`, { body: bytes, headers });
}

/** Sends deliveries one after the other. Returns the first answer whose action is not "ignored", else the last one. */
export async function deliverAll(platform: Platform, bodies: DeliveryBody[]): Promise<TestApiAnswer> {
  const answers: TestApiAnswer[] = [];
  for (const body of bodies) answers.push(await deliverAs(platform, body));
  return answers.find(({ json }) => json?.action !== "ignored") ?? answers.at(-1)!;
}
