import { contactAddress } from "@/lib/outbound/mail/contact";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

const VALID_DAYS = 180;

/** GET /.well-known/security.txt (RFC 9116): where to report a vulnerability. */
export function GET(): Response {
  const expires = new Date(Date.now() + VALID_DAYS * 86_400_000);
  expires.setUTCHours(0, 0, 0, 0);
  const { baseUrl } = env();
  const address = contactAddress();
  const lines = [
    `Contact: ${address ? `mailto:${address}` : baseUrl + paths.security()}`,
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}${paths.security()}`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
