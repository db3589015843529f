const MAX_LENGTH = 60;
/** Controls, line and paragraph separators, and marks that reorder or hide text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** Text that could pass for an address, a link or markup. */
const ADDRESS_LIKE = /[@/\\<>{}|[\]]|:\s*\S|\bwww\b|\p{L}\.\p{L}{2}/iu;

/**
 * A name as it may be printed in a mail, or null when it must not be. The payer chooses the name freely, and the mail
 * goes out under our sender.
 */
export function greetingName(userName: string): string | null {
  const name = userName.normalize("NFC").replace(/\s+/gu, " ").replace(INVISIBLE, "").trim();
  if (name === "" || name.length > MAX_LENGTH || ADDRESS_LIKE.test(name)) return null;
  return name;
}
