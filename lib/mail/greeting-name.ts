const MAX_LENGTH = 60;
/** Controls, line and paragraph separators, and marks that reorder or hide text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** What a mail client would turn into a link or a button-like call: a name is not the place for it. */
const ADDRESS_LIKE = /[@/\\<>{}|[\]]|:\s*\S|\bwww\b|\p{L}\.\p{L}{2}/iu;

/**
 * A name as it may be printed in a mail, or null when it is not fit: whoever pays chooses it freely, and the mail goes
 * out under our name.
 */
export function greetingName(userName: string): string | null {
  const name = userName.normalize("NFC").replace(/\s+/gu, " ").replace(INVISIBLE, "").trim();
  if (name === "" || name.length > MAX_LENGTH || ADDRESS_LIKE.test(name)) return null;
  return name;
}
