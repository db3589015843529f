import { isPlaceholderName } from "@/lib/vocabulary";

const MAX_LENGTH = 60;
/** Control characters, line and paragraph separators, and characters that reorder or hide text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** Text that looks like an address, a link or markup. */
const ADDRESS_LIKE = /[@/\\<>{}|[\]]|:\s*\S|\bwww\b|\p{L}\.\p{L}{2}/iu;

/**
 * A name that is safe to print in a mail; null: it is not, or it stands for an unknown name. The buyer chooses the name,
 * and the mail has the service's sender.
 */
export function greetingName(userName: string): string | null {
  const name = userName.normalize("NFC").replace(/\s+/gu, " ").replace(INVISIBLE, "").trim();
  if (name === "" || name.length > MAX_LENGTH || ADDRESS_LIKE.test(name)) return null;
  return isPlaceholderName(name) ? null : name;
}
