import { domainToASCII } from "node:url";
import { z } from "zod";

const MAX_LENGTH = 254;
/** Invisible characters, such as a zero-width space that was pasted with the address. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Allowed local part of an address: no separators of a list, white space, control characters or U+FFFD (a lost character). */
const LOCAL_PART = /^[^\s@,;:<>()[\]\\"\ufffd\p{Cc}\p{Cs}]{1,64}$/u;
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]+|[a-z][a-z0-9-]*[a-z0-9])$/;

/** An e-mail address without surrounding white space and without invisible characters. */
export const cleanEmail = (text: string): string => text.replace(INVISIBLE, "").trim();

/**
 * Whether a text is a valid e-mail address: one mailbox at a domain that can be written in ASCII. Payment deliveries,
 * forms, sign-in and the API all use this rule. A local part with different NFC and NFKC forms is refused, because it
 * may be two mailboxes.
 */
export function isEmail(text: string): boolean {
  const { local, domain } = parts(text);
  return (
    text.length <= MAX_LENGTH &&
    LOCAL_PART.test(local) &&
    local.normalize("NFC") === local.normalize("NFKC") &&
    DOMAIN.test(asciiDomain(domain))
  );
}

/** One e-mail address, spelt as it was sent, without invisible characters. */
export const Email = z
  .string()
  .overwrite(cleanEmail)
  .max(MAX_LENGTH, "must have at most 254 characters")
  .refine(isEmail, "must be one e-mail address")
  // The OpenAPI document names the format; requests are validated by the rule above.
  .meta({ wire: { type: "string", format: "email", maxLength: MAX_LENGTH } });

/**
 * The normalised form by which e-mail addresses are compared: cleaned, in lower case, with the domain in ASCII. Dots
 * and plus parts are kept. A part of an address, as in a search, is accepted as well.
 */
export function normalizeEmail(email: string): string {
  const { local, domain } = parts(cleanEmail(email));
  const name = local.normalize("NFKC").toLowerCase();
  return domain === null ? name : `${name}@${asciiDomain(domain) || domain.toLowerCase()}`;
}

function parts(address: string): { local: string; domain: string | null } {
  const at = address.lastIndexOf("@");
  return at < 0
    ? { local: address, domain: null }
    : { local: address.slice(0, at), domain: address.slice(at + 1) };
}

/** A domain in ASCII by UTS 46; empty if it is invalid. */
function asciiDomain(domain: string | null): string {
  // These characters would end the host in a URL, so the rest would be cut off.
  return domain === null || /[\s/?#%@:\\[\]\p{Cc}]/u.test(domain) ? "" : domainToASCII(domain);
}
